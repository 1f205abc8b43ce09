// A loop that polls is left, then a wait in a loop of its own: it goes on only when there is something.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int started;
static int ready, value;

static void *taker(void *arg) {
    while (!atomic_load(&started)) {
    }
    pthread_mutex_lock(&mutex);
    while (!ready)                              // no-race
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    value = 1;                                  // no-race
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, taker, NULL);
    atomic_store(&started, 1);
    value = 2;                                  // no-race
    pthread_mutex_lock(&mutex);
    ready = 1;                                  // no-race
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
