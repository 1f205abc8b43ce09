// The cleanup handler has run, the lock is free, and the access comes after.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void unlock(void *arg) {
    pthread_mutex_unlock(arg);
}

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, &m);
    pthread_cleanup_pop(1);
    value++;                                    // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value <= 2 ? 0 : 1;                  // no-race
}
