// A thread that tries to join itself is busy.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>

static int value;

static void *worker(void *arg) {
    if (pthread_tryjoin_np(pthread_self(), NULL) == EBUSY)
        value = 1;                              // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    value = 2;                                  // race
    pthread_join(t, NULL);
    return 0;
}
