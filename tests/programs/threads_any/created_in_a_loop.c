// As many threads as the loop creates wait at the barrier, with main: behind it nobody writes.
#include <pthread.h>

#define WORKERS 2
static pthread_barrier_t begin;
static int limit;

static void *worker(void *arg) {
    pthread_barrier_wait(&begin);
    return limit > 3 ? arg : NULL;              // no-race
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&begin, NULL, WORKERS + 1);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&t, NULL, worker, NULL);
    limit = 5;                                  // no-race
    pthread_barrier_wait(&begin);
    return 0;
}
