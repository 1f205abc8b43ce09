// The cleanup attribute unlocks at the end of the scope, on every way out.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void unlock_at_end(pthread_mutex_t **held) {
    pthread_mutex_unlock(*held);
}

static int bump(int limit) {
    __attribute__((cleanup(unlock_at_end))) pthread_mutex_t *held = &m;
    pthread_mutex_lock(held);
    if (value >= limit)                         // no-race
        return 0;
    value++;                                    // no-race
    return 1;
}

static void *worker(void *arg) {
    while (bump(10))
        ;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value == 10 ? 0 : 1;                 // no-race
}
