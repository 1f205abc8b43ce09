// Dekker's idea with fences that only acquire and release: both may find the other's flag down, though no order of
// steps shows it.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int up[2];
static int value;

static void *first(void *arg) {
    atomic_store_explicit(&up[0], 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_acq_rel);
    if (!atomic_load_explicit(&up[1], memory_order_relaxed))
        value++;                                // race missed(explore): not sequentially consistent; missed(bmc): the same
    return arg;
}

static void *second(void *arg) {
    atomic_store_explicit(&up[1], 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_acq_rel);
    if (!atomic_load_explicit(&up[0], memory_order_relaxed))
        value++;                                // race missed(explore): not sequentially consistent; missed(bmc): the same
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
