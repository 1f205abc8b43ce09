// The pointer to a new object is found by an exchange that fails, and acquires what it reads.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic shared;
static int other;

static void *publisher(void *arg) {
    int *p = malloc(sizeof *p);
    *p = 1;                                     // no-race
    atomic_store_explicit(&shared, p, memory_order_release);
    return arg;
}

static void *finder(void *arg) {
    int *found = &other;
    if (!atomic_compare_exchange_strong_explicit(&shared, &found, &other, memory_order_acq_rel, memory_order_acquire))
        if (found != NULL)
            *found = 2;                         // no-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, publisher, NULL);
    pthread_create(&b, NULL, finder, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
