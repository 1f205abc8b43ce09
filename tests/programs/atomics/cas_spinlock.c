// A spin lock by compare-and-swap, in functions of its own.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int owner;
static int value;

static void acquire(void) {
    int expected = 0;
    while (!atomic_compare_exchange_strong(&owner, &expected, 1))
        expected = 0;
}

static void release(void) {
    atomic_store(&owner, 0);
}

static void *worker(void *arg) {
    acquire();
    value++;                                    // no-race
    release();
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
