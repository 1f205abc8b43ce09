// A pointer that only main writes, and that threads read meanwhile.
#include <pthread.h>
#include <stdlib.h>

struct work { pthread_t id; int result; };
static struct work *all;
static int count = 3;

static void *run(void *arg) {
    struct work *mine = arg;
    if (all)                                    // no-race
        mine->result = 1;                       // no-race
    return NULL;
}

int main(void) {
    int sum = 0;
    all = calloc(count, sizeof *all);           // no-race
    for (int i = 0; i < count; i++)
        pthread_create(&all[i].id, NULL, run, &all[i]);
    for (int i = 0; i < count; i++) {
        pthread_join(all[i].id, NULL);
        sum += all[i].result;                   // no-race
    }
    free(all);                                  // no-race
    all = NULL;                                 // no-race
    return sum - 3;
}
