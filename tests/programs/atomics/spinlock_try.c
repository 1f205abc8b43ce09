// Test-and-set used as a trylock: the access is on the branch where it was free.
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag busy = ATOMIC_FLAG_INIT;
static int value;

static void *worker(void *arg) {
    if (!atomic_flag_test_and_set(&busy)) {
        value++;                                // no-race
        atomic_flag_clear(&busy);
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
