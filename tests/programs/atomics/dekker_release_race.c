// Each thread raises its flag and goes on if the other's is down. By release and acquire alone both may find it down: no
// order of steps shows that, but C11 allows it, and so do processors that keep stores back.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int up[2];
static int value;

static void *first(void *arg) {
    atomic_store_explicit(&up[0], 1, memory_order_release);
    if (!atomic_load_explicit(&up[1], memory_order_acquire))
        value++;                                // race missed(explore): not sequentially consistent; missed(bmc): the same
    return arg;
}

static void *second(void *arg) {
    atomic_store_explicit(&up[1], 1, memory_order_release);
    if (!atomic_load_explicit(&up[0], memory_order_acquire))
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
