// A lock with a deadline on a chosen clock may not have been obtained.
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *worker(void *arg) {
    struct timespec deadline = {0, 0};
    int late = pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &deadline);
    value++;                                    // race
    if (late == 0)
        pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value >= 1 ? 0 : 1;                  // no-race
}
