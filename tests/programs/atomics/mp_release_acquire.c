// Message passing: a release store of the flag, an acquire load in a waiting loop.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *producer(void *arg) {
    data = 42;                                  // no-race
    atomic_store_explicit(&flag, 1, memory_order_release);  // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    while (atomic_load_explicit(&flag, memory_order_acquire) == 0)  // no-race
        ;
    int seen = data;                            // no-race
    pthread_join(t, NULL);
    return seen == 42 ? 0 : 1;
}
