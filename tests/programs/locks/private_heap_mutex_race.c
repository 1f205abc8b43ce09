// Every thread allocates a mutex of its own at the same place of the program.
#include <pthread.h>
#include <stdlib.h>

static int value;

static void *worker(void *arg) {
    pthread_mutex_t *m = malloc(sizeof *m);
    pthread_mutex_init(m, NULL);
    pthread_mutex_lock(m);
    value++;                                    // race
    pthread_mutex_unlock(m);
    free(m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value <= 2 ? 0 : 1;                  // no-race
}
