// A spin lock that is given back by an exchange with 0.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int busy;
static int value;

static void *worker(void *arg) {
    while (atomic_exchange_explicit(&busy, 1, memory_order_acquire)) // no-race
        ;
    value++;                                    // no-race
    atomic_exchange_explicit(&busy, 0, memory_order_release); // no-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value != 2;                          // no-race
}
