// if instead of while: a wait may return without a signal, and then the data is not there.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, data;

static void *producer(void *arg) {
    data = 42;                                  // race
    pthread_mutex_lock(&m);
    ready = 1;                                  // no-race
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    pthread_mutex_lock(&m);
    if (!ready)                                 // no-race
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    int seen = data;                            // race
    pthread_join(t, NULL);
    return seen >= 0 ? 0 : 1;
}
