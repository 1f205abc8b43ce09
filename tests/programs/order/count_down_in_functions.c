// Counting in, counting out and waiting are functions; the counter is looked at by another one.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, result_lock = PTHREAD_MUTEX_INITIALIZER;
static int running, result;

static void enter(void) {
    pthread_mutex_lock(&m);
    running++;                                  // no-race
    pthread_mutex_unlock(&m);
}

static void leave(void) {
    pthread_mutex_lock(&m);
    running--;                                  // no-race
    pthread_mutex_unlock(&m);
}

static int left(void) {
    pthread_mutex_lock(&m);
    int count = running;                        // no-race
    pthread_mutex_unlock(&m);
    return count;
}

static void *worker(void *arg) {
    pthread_mutex_lock(&result_lock);
    result += 2;                                // no-race
    pthread_mutex_unlock(&result_lock);
    leave();
    return arg;
}

int main(void) {
    for (int i = 0; i < 2; i++) {
        pthread_t t;
        enter();
        pthread_create(&t, NULL, worker, NULL);
        pthread_detach(t);
    }
    if (left() != 0)
        return 0;
    return result > 4;                          // no-race
}
