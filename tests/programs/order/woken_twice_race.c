// Two waits in a row, neither in a loop: both may end without a signal, before the other thread does anything.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, value;

static void *giver(void *arg) {
    int seen = value;                           // race
    pthread_mutex_lock(&mutex);
    ready = 1;                                  // no-race
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return seen ? arg : NULL;
}

static void *taker(void *arg) {
    pthread_mutex_lock(&mutex);
    if (!ready)                                 // no-race
        pthread_cond_wait(&changed, &mutex);
    if (!ready)                                 // no-race
        pthread_cond_wait(&changed, &mutex);
    value = 1;                                  // race
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, giver, NULL);
    pthread_create(&b, NULL, taker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
