// Two flags, two hops: first thread to second to third.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int first, second;
static int data;

static void *producer(void *arg) {
    data = 1;                                   // no-race
    atomic_store_explicit(&first, 1, memory_order_release);
    return arg;
}

static void *middle(void *arg) {
    while (!atomic_load_explicit(&first, memory_order_acquire))
        ;
    data++;                                     // no-race
    atomic_store_explicit(&second, 1, memory_order_release);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, middle, NULL);
    while (!atomic_load_explicit(&second, memory_order_acquire))
        ;
    data++;                                     // no-race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return data == 3 ? 0 : 1;                   // no-race
}
