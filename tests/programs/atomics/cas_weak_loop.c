// A weak compare-and-exchange in a loop adds without losing anything.
#include <pthread.h>
#include <stdatomic.h>

static atomic_short value;

static void *worker(void *arg) {
    short old = atomic_load_explicit(&value, memory_order_relaxed);  // no-race
    while (!atomic_compare_exchange_weak_explicit(&value, &old, (short)(old + 1), memory_order_acq_rel,  // no-race
                                                  memory_order_acquire))
        ;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value == 2 ? 0 : 1;                  // no-race
}
