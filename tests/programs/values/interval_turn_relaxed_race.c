// Two threads take turns by a relaxed integer, which orders nothing.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int turn;
static int data;

static void *even(void *arg) {
    for (int i = 0; i < 2; i++) {
        while (atomic_load_explicit(&turn, memory_order_relaxed) != 0)
            ;
        data += 1;                              // race
        atomic_store_explicit(&turn, 1, memory_order_relaxed);
    }
    return arg;
}

static void *odd(void *arg) {
    for (int i = 0; i < 2; i++) {
        while (atomic_load_explicit(&turn, memory_order_relaxed) != 1)
            ;
        data += 2;                              // race
        atomic_store_explicit(&turn, 0, memory_order_relaxed);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, even, NULL);
    pthread_create(&b, NULL, odd, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return data == 6 ? 0 : 1;                   // no-race
}
