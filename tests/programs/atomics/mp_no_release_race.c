// An acquire load alone does not synchronise: the store is relaxed.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *producer(void *arg) {
    data = 42;                                  // race
    atomic_store_explicit(&flag, 1, memory_order_relaxed);  // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    while (atomic_load_explicit(&flag, memory_order_acquire) == 0)  // no-race
        ;
    int seen = data;                            // race
    pthread_join(t, NULL);
    return seen >= 0 ? 0 : 1;
}
