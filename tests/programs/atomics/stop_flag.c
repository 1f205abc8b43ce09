// An atomic stop flag ends the worker; what it counted is read after the join.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_bool stop;
static long rounds;

static void *worker(void *arg) {
    while (!atomic_load_explicit(&stop, memory_order_relaxed))  // no-race
        rounds++;                               // no-race alarm(explore): the loop can go on for ever
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    atomic_store_explicit(&stop, true, memory_order_relaxed);  // no-race
    pthread_join(t, NULL);
    return rounds >= 0 ? 0 : 1;                 // no-race
}
