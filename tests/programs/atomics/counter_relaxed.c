// Relaxed operations on a counter order nothing, but do not race with each other.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *worker(void *arg) {
    for (int i = 0; i < 10; i++)
        atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);  // no-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    int seen = atomic_load_explicit(&counter, memory_order_relaxed);  // no-race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen <= 20 && counter == 20 ? 0 : 1; // no-race
}
