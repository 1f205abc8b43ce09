// The scope with the cleanup attribute ends before the access.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value, total;

static void unlock_at_end(pthread_mutex_t **held) {
    pthread_mutex_unlock(*held);
}

static void *worker(void *arg) {
    {
        __attribute__((cleanup(unlock_at_end))) pthread_mutex_t *held = &m;
        pthread_mutex_lock(held);
        value++;                                // no-race
    }
    total++;                                    // race
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
