// Each thread raises its flag and goes on if the other's is down. With a full fence in between, one of them at least
// sees the other's flag.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int up[2];
static int value;

static void *first(void *arg) {
    atomic_store_explicit(&up[0], 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    if (!atomic_load_explicit(&up[1], memory_order_relaxed))
        value++;                                // no-race alarm(lockset): who finds the other away goes on
    return arg;
}

static void *second(void *arg) {
    atomic_store_explicit(&up[1], 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    if (!atomic_load_explicit(&up[0], memory_order_relaxed))
        value++;                                // no-race alarm(lockset): who finds the other away goes on
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value;                               // no-race
}
