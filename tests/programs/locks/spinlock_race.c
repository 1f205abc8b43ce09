// A spin lock and a mutex are different locks.
#include <pthread.h>

static pthread_spinlock_t spin;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *spinner(void *arg) {
    pthread_spin_lock(&spin);
    value++;                                    // race
    pthread_spin_unlock(&spin);
    return arg;
}

static void *sleeper(void *arg) {
    pthread_mutex_lock(&m);
    value++;                                    // race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&a, NULL, spinner, NULL);
    pthread_create(&b, NULL, sleeper, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value >= 1 ? 0 : 1;                  // no-race
}
