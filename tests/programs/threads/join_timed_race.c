// A join whose deadline has passed may come back before the thread has ended.
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

static int value;

static void *worker(void *arg) {
    value = 1;                                  // race
    return arg;
}

int main(void) {
    struct timespec deadline = {0, 0};
    pthread_t t;
    int seen, late;
    pthread_create(&t, NULL, worker, NULL);
    late = pthread_timedjoin_np(t, NULL, &deadline);
    seen = value;                               // race
    if (late != 0)
        pthread_join(t, NULL);
    return seen >= 0 ? 0 : 1;
}
