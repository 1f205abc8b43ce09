// A function without a lock that is never called while threads run.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void reset(void) {
    value = 0;                                  // no-race
}

void debug_reset(void) {
    value = -1;                                 // no-race
}

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    value++;                                    // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    reset();
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    reset();
    return value;                               // no-race
}
