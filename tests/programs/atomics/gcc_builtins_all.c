// GCC's builtins: generic load and store, operations with the new value, test-and-set.
#include <pthread.h>

static long number;
static unsigned char mask;
static char taken;
static int value;

static void *worker(void *arg) {
    long old = 0, one = 1;
    __atomic_compare_exchange(&number, &old, &one, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);  // no-race
    __atomic_or_fetch(&mask, 2, __ATOMIC_RELAXED);  // no-race
    __sync_fetch_and_xor(&mask, 4);             // no-race
    if (!__atomic_test_and_set(&taken, __ATOMIC_ACQUIRE)) {  // no-race
        value++;                                // no-race
        __atomic_clear(&taken, __ATOMIC_RELEASE);  // no-race
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    long seen;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    __atomic_load(&number, &seen, __ATOMIC_SEQ_CST);  // no-race
    __sync_val_compare_and_swap(&number, 1, 2);  // no-race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen <= 2 && mask == 2 && value >= 1 ? 0 : 1;  // no-race
}
