// pthread_tryjoin_np joins only when it returns zero; the read is on that branch.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>

static int value;

static void *worker(void *arg) {
    value = 1;                                  // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    while (pthread_tryjoin_np(t, NULL) != 0)
        sched_yield();
    return value == 1 ? 0 : 1;                  // no-race
}
