// A wait with a deadline on a chosen clock may have failed.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t done;
static int value;

static void *worker(void *arg) {
    value = 1;                                  // race
    sem_post(&done);
    return arg;
}

int main(void) {
    struct timespec deadline = {0, 0};
    pthread_t t;
    int seen;
    sem_init(&done, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    sem_clockwait(&done, CLOCK_MONOTONIC, &deadline);
    seen = value;                               // race
    pthread_join(t, NULL);
    return seen >= 0 ? 0 : 1;
}
