// The loop that joins goes on with the ids of other threads after the first one.
#include <pthread.h>
#include <stdlib.h>

static pthread_t *ids, *others;
static int first, second;

static void *worker(void *arg) {
    *(int *)arg += 1;                           // race
    return NULL;
}

static void *idle(void *arg) { return arg; }

int main(void) {
    pthread_t *mine = malloc(2 * sizeof *mine);
    others = malloc(2 * sizeof *others);
    ids = mine;
    pthread_create(&ids[0], NULL, worker, &first);
    pthread_create(&ids[1], NULL, worker, &second);
    for (int i = 0; i < 2; i++)
        pthread_create(&others[i], NULL, idle, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_join(ids[i], NULL);
        ids = others;
    }
    first = 0;
    second = 0;                                 // race
    return 0;
}
