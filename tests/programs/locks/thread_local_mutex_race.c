// A thread-local mutex protects against nobody.
#include <pthread.h>

static __thread pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    value++;                                    // race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&m);
    value++;                                    // race
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return value <= 2 ? 0 : 1;                  // no-race
}
