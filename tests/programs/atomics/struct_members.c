// A struct with an atomic and a plain member: the plain one belongs to one thread.
#include <pthread.h>
#include <stdatomic.h>

static struct {
    atomic_long shared;
    long mine;
} stats;

static void *worker(void *arg) {
    stats.mine++;                               // no-race
    stats.shared += stats.mine;                 // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    stats.shared++;                             // no-race
    pthread_join(t, NULL);
    return stats.shared == 2 ? 0 : 1;           // no-race
}
