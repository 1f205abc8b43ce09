// Test-and-set read the wrong way round: true means that somebody else has it.
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag busy = ATOMIC_FLAG_INIT;
static int value;

static void *worker(void *arg) {
    for (int i = 0; i < 50; i++) {
        if (atomic_flag_test_and_set(&busy)) {
            value++;                            // race
            atomic_flag_clear(&busy);
        }
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value <= 100 ? 0 : 1;                // no-race
}
