// The signal comes behind the critical section: who has seen the flag may destroy the condition before.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *worker(void *arg) {
    pthread_mutex_lock(&mutex);
    ready = 1;                                  // no-race
    pthread_mutex_unlock(&mutex);
    pthread_cond_signal(&changed);              // race
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&mutex);
    while (!ready)                              // no-race
        pthread_cond_wait(&changed, &mutex);    // no-race
    pthread_mutex_unlock(&mutex);
    pthread_cond_destroy(&changed);             // race
    pthread_join(thread, NULL);
    return 0;
}
