// A pointer that only main writes, while threads read it.
#include <pthread.h>
#include <stdlib.h>

struct work { pthread_t id; int result; };
static struct work *all;
static int count = 3;

static void *run(void *arg) {
    struct work *mine = arg;
    if (all)                                    // race
        mine->result = 1;
    return NULL;
}

int main(void) {
    int sum = 0;
    all = calloc(count, sizeof *all);
    for (int i = 0; i < count; i++)
        pthread_create(&all[i].id, NULL, run, &all[i]);
    struct work *copy = all;
    all = NULL;                                 // race
    for (int i = 0; i < count; i++) {
        pthread_join(copy[i].id, NULL);
        sum += 1;
    }
    return sum - 3;
}
