// The data is used after the mutex was given back, while the producer goes on.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, data;

static void *producer(void *arg) {
    for (int i = 1; i <= 20; i++) {
        pthread_mutex_lock(&m);
        data = i;                               // race
        ready = 1;                              // no-race
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    pthread_mutex_lock(&m);
    while (!ready)                              // no-race
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    int seen = data;                            // race
    pthread_join(t, NULL);
    return seen > 0 ? 0 : 1;
}
