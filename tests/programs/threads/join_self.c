// A thread that joins itself is refused.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>

static int value;

static void *worker(void *arg) {
    if (pthread_join(pthread_self(), NULL) != EDEADLK)
        value = 1;                              // no-race alarm(lockset): results of joins are not followed
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    value = 2;                                  // no-race alarm(lockset): results of joins are not followed
    pthread_join(t, NULL);
    return 0;
}
