// Sleeping and yielding give the other thread time, but order nothing.
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

static int value;

static void *worker(void *arg) {
    sched_yield();
    value = 1;                                  // race
    return arg;
}

int main(void) {
    struct timespec little = {0, 1000};
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    sleep(0);
    usleep(1);
    nanosleep(&little, NULL);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &little, NULL);
    value++;                                    // race
    pthread_join(t, NULL);
    return value >= 1 ? 0 : 1;                  // no-race
}
