// A relaxed store of another thread breaks the release sequence.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *producer(void *arg) {
    data = 42;                                  // race
    atomic_store_explicit(&flag, 1, memory_order_release);  // no-race
    return arg;
}

static void *relay(void *arg) {
    while (atomic_load_explicit(&flag, memory_order_relaxed) != 1)  // no-race
        ;
    atomic_store_explicit(&flag, 2, memory_order_relaxed);  // no-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, relay, NULL);
    while (atomic_load_explicit(&flag, memory_order_acquire) != 2)  // no-race
        ;
    int seen = data;                            // race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen >= 0 ? 0 : 1;
}
