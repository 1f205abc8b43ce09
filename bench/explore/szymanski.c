// Szymanski's mutual exclusion for two threads; a wait looks TRIES times, then the thread gives up.
#include <pthread.h>
#include <stdatomic.h>

#ifndef TRIES
#define TRIES 6
#endif

static atomic_int flag[2];
static int shared;

static int is_below(atomic_int *other, int bound) {
    for (int i = 0; i < TRIES; i++)
        if (atomic_load(other) < bound)
            return 1;
    return 0;
}

static int has_passed(atomic_int *other) {
    for (int i = 0; i < TRIES; i++) {
        int seen = atomic_load(other);
        if (seen < 2 || seen > 3)
            return 1;
    }
    return 0;
}

static int enter(long me) {
    atomic_int *mine = &flag[me], *other = &flag[1 - me];
    atomic_store(mine, 1);
    if (!is_below(other, 3))
        return 0;
    atomic_store(mine, 3);
    if (atomic_load(other) == 1) {
        int i = 0;
        atomic_store(mine, 2);
        while (i < TRIES && atomic_load(other) != 4)
            i++;
        if (i == TRIES)
            return 0;
    }
    atomic_store(mine, 4);
    return me == 0 || is_below(other, 2);
}

static void *worker(void *arg) {
    long me = (long)arg;
    if (enter(me)) {
        shared = (int)me;
        if (me == 1 || has_passed(&flag[1]))
            atomic_store(&flag[me], 0);
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
