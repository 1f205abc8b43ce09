// A spin lock by compare-and-swap, taken with release order only.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int owner;
static int value;

static void acquire(void) {
    int expected = 0;
    while (!atomic_compare_exchange_strong_explicit(&owner, &expected, 1, memory_order_release,  // no-race
                                                    memory_order_relaxed))
        expected = 0;
}

static void *worker(void *arg) {
    acquire();
    value++;                                    // race
    atomic_store_explicit(&owner, 0, memory_order_release);  // no-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value <= 2 ? 0 : 1;                  // no-race
}
