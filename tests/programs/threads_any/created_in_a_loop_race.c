// One thread more than the barrier has room for: the first round may do without main.
#include <pthread.h>

#define WORKERS 3
static pthread_barrier_t begin;
static int limit;

static void *worker(void *arg) {
    pthread_barrier_wait(&begin);
    return limit > 3 ? arg : NULL;              // race
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&begin, NULL, WORKERS);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&t, NULL, worker, NULL);
    limit = 5;                                  // race
    pthread_barrier_wait(&begin);
    return 0;
}
