// A pointer is handed over by an exchange that is only relaxed.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int data;
static int *_Atomic slot;

static void *producer(void *arg) {
    data = 42;                                  // race
    atomic_exchange_explicit(&slot, &data, memory_order_relaxed);  // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    int *taken, seen = 42;
    pthread_create(&t, NULL, producer, NULL);
    taken = atomic_exchange_explicit(&slot, NULL, memory_order_acquire);  // no-race
    if (taken != NULL)
        seen = *taken;                          // race
    pthread_join(t, NULL);
    return seen >= 0 ? 0 : 1;
}
