// For some inputs the flag is read with a relaxed order: nothing orders the data.
// The race needs: x with the bits 0x5c0 in 0xff0, as 0x5c3.
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

static atomic_int flag;
static int data;

static void *first(void *arg) {
    data = 42;                                  // race
    atomic_store_explicit(&flag, 1, memory_order_release);
    return arg;
}

static void *second(void *arg) {
    int x = __VERIFIER_nondet_int();
    int is_set;
    if ((x & 0xff0) == 0x5c0)
        is_set = atomic_load_explicit(&flag, memory_order_relaxed);
    else
        is_set = atomic_load_explicit(&flag, memory_order_acquire);
    if (is_set)
        data++;                                 // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
