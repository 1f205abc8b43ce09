// A pointer is handed over by an exchange with release, taken by one with acquire.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int data;
static int *_Atomic slot;

static void *producer(void *arg) {
    data = 42;                                  // no-race alarm(lockset): the exchange hands the object over
    atomic_exchange_explicit(&slot, &data, memory_order_release);  // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    int *taken, seen = 42;
    pthread_create(&t, NULL, producer, NULL);
    taken = atomic_exchange_explicit(&slot, NULL, memory_order_acquire);  // no-race
    if (taken != NULL)
        seen = *taken;                          // no-race alarm(lockset): the exchange hands the object over
    pthread_join(t, NULL);
    return seen == 42 ? 0 : 1;
}
