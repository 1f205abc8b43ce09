// A thread is cancelled where it waits in a loop; its cleanup handler waits once, which may end without a signal.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER, changed = PTHREAD_COND_INITIALIZER;
static int go, ready, value;

static void clean(void *unused) {
    (void)unused;
    if (!ready)                                 // no-race alarm(lockset): which locks are held in a clean-up handler is not known
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    value = 1;                                  // race
}

static void *taker(void *arg) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(clean, NULL);
    while (!go)                                 // no-race
        pthread_cond_wait(&never, &mutex);
    pthread_cleanup_pop(1);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, taker, NULL);
    pthread_cancel(thread);
    value = 2;                                  // race
    pthread_mutex_lock(&mutex);
    ready = 1;                                  // no-race alarm(lockset): see above
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
