// Lamport's fast mutual exclusion for two threads, each with at most LOOPS tries for one entry.
#include <pthread.h>
#include <stdatomic.h>

#ifndef LOOPS
#define LOOPS 3
#endif

static atomic_int x, y, flag[2];
static int shared;

static int enter(int me) {
    int other = 1 - me;
    atomic_store(&flag[me], 1);
    atomic_store(&x, me + 1);
    if (atomic_load(&y) != 0) {
        atomic_store(&flag[me], 0);
        return 0;
    }
    atomic_store(&y, me + 1);
    if (atomic_load(&x) != me + 1) {
        atomic_store(&flag[me], 0);
        if (atomic_load(&flag[other]) != 0 || atomic_load(&y) != me + 1)
            return 0;
    }
    return 1;
}

static void *worker(void *arg) {
    int me = (int)(long)arg;
    for (int tries = 0; tries < LOOPS; tries++) {
        if (enter(me)) {
            shared = me;
            atomic_store(&y, 0);
            atomic_store(&flag[me], 0);
        }
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, (void *)0L);
    pthread_create(&b, NULL, worker, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return shared >= 0 ? 0 : 1;
}
