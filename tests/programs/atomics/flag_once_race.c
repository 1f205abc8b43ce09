// The flag is cleared with relaxed order, so the second to find it clear is not ordered behind the first.
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag started = ATOMIC_FLAG_INIT;
static int value;

static void *worker(void *arg) {
    if (!atomic_flag_test_and_set_explicit(&started, memory_order_acquire)) {  // no-race
        value++;                                // race
        atomic_flag_clear_explicit(&started, memory_order_relaxed);  // no-race
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value >= 1 ? 0 : 1;                  // no-race
}
