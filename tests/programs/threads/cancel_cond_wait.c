// Cancelled in a condition wait, a thread has the mutex again when its clean-up handler runs.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int ready, cleaned;

static void clean(void *arg) {
    cleaned++;                                  // no-race alarm(lockset): which locks are held in a clean-up handler is not known
    pthread_mutex_unlock(arg);
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(clean, &lock);
    while (!ready)                              // no-race
        pthread_cond_wait(&never, &lock);
    pthread_cleanup_pop(1);
    return arg;
}

int main(void) {
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, worker, NULL);
    pthread_cancel(t);
    pthread_mutex_lock(&lock);
    cleaned++;                                  // no-race alarm(lockset): which locks are held in a clean-up handler is not known
    pthread_mutex_unlock(&lock);
    pthread_join(t, &result);
    return result == PTHREAD_CANCELED && cleaned >= 1 ? 0 : 1;  // no-race
}
