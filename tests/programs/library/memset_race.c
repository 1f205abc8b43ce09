// memset clears a struct while a thread counts in it.
#include <pthread.h>
#include <string.h>

static struct {
    int hits, misses;
} stats;

static void *worker(void *arg) {
    stats.hits++;                               // race
    return arg;
}

int main(void) {
    pthread_t t;
    memset(&stats, 0, sizeof stats);            // no-race
    pthread_create(&t, NULL, worker, NULL);
    memset(&stats, 0, sizeof stats);            // race
    pthread_join(t, NULL);
    return stats.hits <= 1 ? 0 : 1;             // no-race
}
