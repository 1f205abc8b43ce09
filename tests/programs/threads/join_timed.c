// A join with a deadline that has passed; if it timed out, the plain join follows.
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

static int value;

static void *worker(void *arg) {
    value = 1;                                  // no-race
    return arg;
}

int main(void) {
    struct timespec deadline = {0, 0};
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    if (pthread_timedjoin_np(t, NULL, &deadline) != 0)
        pthread_join(t, NULL);
    return value == 1 ? 0 : 1;                  // no-race
}
