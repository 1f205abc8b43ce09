// A function pointer called with the lock held; both targets access.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void up(void) {
    value++;                                    // no-race
}

static void down(void) {
    value--;                                    // no-race
}

static void run_locked(void (*action)(void)) {
    pthread_mutex_lock(&m);
    action();
    pthread_mutex_unlock(&m);
}

static void *worker(void *arg) {
    run_locked(arg != NULL ? up : down);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, &m);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value;                               // no-race
}
