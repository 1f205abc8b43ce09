// The signal comes within the critical section: who has seen the flag comes behind it.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *worker(void *arg) {
    pthread_mutex_lock(&mutex);
    ready = 1;                                  // no-race
    pthread_cond_signal(&changed);              // no-race alarm(lockset): the flag that orders is under a lock; alarm(shapes): the flag that orders is under a lock
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&mutex);
    while (!ready)                              // no-race
        pthread_cond_wait(&changed, &mutex);    // no-race
    pthread_mutex_unlock(&mutex);
    pthread_cond_destroy(&changed);             // no-race alarm(lockset): the flag that orders is under a lock; alarm(shapes): the flag that orders is under a lock
    pthread_join(thread, NULL);
    return 0;
}
