// Two threads write a flag each, and two look at them: one finds the first flag up and the second down, the other one
// the opposite. Release and acquire do not promise that all see the writes in one order.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int left, right;
static int value;

static void *raise_flag(void *flag) {
    atomic_store_explicit((atomic_int *)flag, 1, memory_order_release);
    return NULL;
}

static void *from_left(void *arg) {
    if (atomic_load_explicit(&left, memory_order_acquire) && !atomic_load_explicit(&right, memory_order_acquire))
        value = 1;                              // race missed(explore): not sequentially consistent; missed(bmc): the same
    return arg;
}

static void *from_right(void *arg) {
    if (atomic_load_explicit(&right, memory_order_acquire) && !atomic_load_explicit(&left, memory_order_acquire))
        value = 2;                              // race missed(explore): not sequentially consistent; missed(bmc): the same
    return arg;
}

int main(void) {
    pthread_t t[4];
    pthread_create(&t[0], NULL, raise_flag, &left);
    pthread_create(&t[1], NULL, raise_flag, &right);
    pthread_create(&t[2], NULL, from_left, NULL);
    pthread_create(&t[3], NULL, from_right, NULL);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    return value;                               // no-race
}
