// A spin lock made of atomic_flag.
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag busy = ATOMIC_FLAG_INIT;
static int value;

static void *worker(void *arg) {
    for (int i = 0; i < 10; i++) {
        while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
            ;
        value++;                                // no-race alarm(explore): too many orders of the failed tries
        atomic_flag_clear_explicit(&busy, memory_order_release);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value == 20 ? 0 : 1;                 // no-race
}
