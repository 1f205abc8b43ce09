// A waiter that is woken takes its mutex again, which another thread may have destroyed by then.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *worker(void *arg) {
    pthread_mutex_lock(&mutex);                 // race
    while (!ready)                              // no-race
        pthread_cond_wait(&changed, &mutex);    // race
    pthread_mutex_unlock(&mutex);               // race
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&mutex);
    ready = 1;                                  // no-race
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_destroy(&mutex);              // race
    pthread_join(thread, NULL);
    return 0;
}
