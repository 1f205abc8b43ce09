// A plain stop flag.
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

static bool stop;
static long rounds;

static void *worker(void *arg) {
    while (!stop) {                             // race
        rounds++;                               // no-race
        sched_yield();
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    stop = true;                                // race
    pthread_join(t, NULL);
    return rounds >= 0 ? 0 : 1;                 // no-race
}
