// The acquire fence comes before the load that sees the flag.
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag;

static void *producer(void *arg) {
    data = 1;                                   // race
    atomic_store_explicit(&flag, 1, memory_order_release);  // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    int seen = 1;
    pthread_create(&t, NULL, producer, NULL);
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&flag, memory_order_relaxed))  // no-race
        seen = data;                            // race
    pthread_join(t, NULL);
    return seen >= 0 ? 0 : 1;
}
