// A loop of tries for a lock is left by a return from within it; the caller then waits once.
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, start = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int may_start, ready, value;

static int wait_for_start(void) {
    for (;;) {
        pthread_mutex_lock(&start);
        int seen = may_start;                   // no-race
        pthread_mutex_unlock(&start);
        if (seen)
            return seen;
        sched_yield();
    }
}

static void *taker(void *arg) {
    wait_for_start();
    pthread_mutex_lock(&mutex);
    if (!ready)                                 // no-race
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    value = 1;                                  // race
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, taker, NULL);
    pthread_mutex_lock(&start);
    may_start = 1;                              // no-race
    pthread_mutex_unlock(&start);
    value = 2;                                  // race
    pthread_mutex_lock(&mutex);
    ready = 1;                                  // no-race
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
