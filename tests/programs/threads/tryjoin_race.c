// pthread_tryjoin_np may come back at once with EBUSY, and main reads anyway.
#define _GNU_SOURCE
#include <pthread.h>

static int value;

static void *worker(void *arg) {
    value = 1;                                  // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    int busy = pthread_tryjoin_np(t, NULL);
    int seen = value;                           // race
    if (busy)
        pthread_join(t, NULL);
    return seen <= 1 ? 0 : 1;
}
