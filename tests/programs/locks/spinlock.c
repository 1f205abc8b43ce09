// pthread spin lock, with lock and a checked trylock.
#include <pthread.h>

static pthread_spinlock_t spin;
static int value;

static void *worker(void *arg) {
    pthread_spin_lock(&spin);
    value++;                                    // no-race
    pthread_spin_unlock(&spin);
    return arg;
}

static void *tries(void *arg) {
    if (pthread_spin_trylock(&spin) == 0) {
        value++;                                // no-race
        pthread_spin_unlock(&spin);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, tries, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_spin_destroy(&spin);
    return value >= 1 ? 0 : 1;                  // no-race
}
