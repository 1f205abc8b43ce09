// The lock is taken in one callee and released in another, which gets it back through a pointer.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static pthread_mutex_t *begin(void) {
    pthread_mutex_lock(&m);
    return &m;
}

static void end(pthread_mutex_t *held) {
    pthread_mutex_unlock(held);
}

static void *worker(void *arg) {
    pthread_mutex_t *held = begin();
    value++;                                    // no-race
    end(held);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value == 2 ? 0 : 1;                  // no-race
}
