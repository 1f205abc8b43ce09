// A wait with a deadline on a chosen clock, used only when it was obtained.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t done;
static int value;

static void *worker(void *arg) {
    value = 1;                                  // no-race
    sem_post(&done);
    return arg;
}

int main(void) {
    struct timespec deadline = {0, 0};
    pthread_t t;
    int seen = 1;
    sem_init(&done, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    if (sem_clockwait(&done, CLOCK_MONOTONIC, &deadline) == 0)
        seen = value;                           // no-race
    pthread_join(t, NULL);
    return seen == 1 ? 0 : 1;
}
