// memset over a struct with an atomic member is a plain write to it.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static struct stats {
    atomic_int hits;
    int misses;
} stats;

static void *worker(void *arg) {
    atomic_fetch_add(&stats.hits, 1);           // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    memset(&stats, 0, sizeof stats);            // race
    pthread_join(t, NULL);
    return atomic_load(&stats.hits) <= 1 ? 0 : 1;  // no-race
}
