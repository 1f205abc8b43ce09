// A spin lock that is tried, and the access left out if it is taken.
#include <pthread.h>

static pthread_spinlock_t lock;
static int value;

static void *worker(void *arg) {
    if (pthread_spin_trylock(&lock) == 0) {
        value++;                                // no-race
        pthread_spin_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_spin_destroy(&lock);
    return value >= 1 ? 0 : 1;                  // no-race
}
