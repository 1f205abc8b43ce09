// The one thread that finds the flag clear does the work.
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag started = ATOMIC_FLAG_INIT;
static int value;

static void *worker(void *arg) {
    if (!atomic_flag_test_and_set_explicit(&started, memory_order_relaxed))  // no-race
        value++;                                // no-race alarm(lockset): that one thread only finds the flag clear is not known
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value == 1 ? 0 : 1;                  // no-race
}
