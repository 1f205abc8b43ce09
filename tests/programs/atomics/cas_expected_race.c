// A spin lock by compare-and-swap that forgets to reset the expected value: the second try always succeeds.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int owner;
static int value;

static void *worker(void *arg) {
    for (int i = 0; i < 100; i++) {
        int expected = 0;
        while (!atomic_compare_exchange_strong(&owner, &expected, 1))  // no-race
            ;
        value++;                                // race
        atomic_store(&owner, 0);                // no-race
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value <= 200 ? 0 : 1;                // no-race
}
