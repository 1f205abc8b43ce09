// An atomic exchange takes the object out of the slot: one thread only gets it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic slot;

static void *taker(void *arg) {
    int *p = atomic_exchange(&slot, NULL);      // no-race
    if (p != NULL) {
        *p += 1;                                // no-race alarm(lockset): the exchange gives it to one thread only
        free(p);                                // no-race alarm(lockset): the exchange gives it to one thread only
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, taker, NULL);
    pthread_create(&b, NULL, taker, NULL);
    int *p = malloc(sizeof *p);
    *p = 1;                                     // no-race
    atomic_store(&slot, p);                     // no-race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(atomic_load(&slot));                   // no-race
    return 0;
}
