// A failed compare-and-swap is a load with the failure order: relaxed does not synchronise.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *producer(void *arg) {
    data = 42;                                  // race
    atomic_store_explicit(&flag, 1, memory_order_release);  // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    int seen = 42, expected;
    pthread_create(&t, NULL, producer, NULL);
    do
        expected = 7;
    while (atomic_compare_exchange_strong_explicit(&flag, &expected, 8, memory_order_acq_rel,  // no-race
                                                   memory_order_relaxed) ||
           expected != 1);
    seen = data;                                // race
    pthread_join(t, NULL);
    return seen >= 0 ? 0 : 1;
}
