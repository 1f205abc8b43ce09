// Load and later store instead of an exchange: both threads may get the object.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic slot;

static void *taker(void *arg) {
    int *p = atomic_load(&slot);                // no-race
    atomic_store(&slot, NULL);                  // no-race
    if (p != NULL)
        *p += 1;                                // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    int *p = malloc(sizeof *p);
    *p = 1;                                     // no-race
    atomic_store(&slot, p);                     // no-race
    pthread_create(&a, NULL, taker, NULL);
    pthread_create(&b, NULL, taker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    int seen = *p;                              // no-race
    free(p);                                    // no-race
    return seen > 1 ? 0 : 1;
}
