// A function that clears a lock is also given an element of the same array, perhaps the one that is the lock.
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static atomic_int words[2];
static int data;

static void put(atomic_int *place, int value) { atomic_store(place, value); }

static void *worker(void *arg) {
    while (atomic_exchange(&words[0], 1))       // no-race
        ;
    data++;                                     // race
    put(&words[0], 0);                          // no-race
    return arg;
}

static void *other(void *arg) {
    put(&words[__VERIFIER_nondet_int() & 1], 0); // no-race
    return arg;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_create(&c, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return data < 0;                            // no-race
}
