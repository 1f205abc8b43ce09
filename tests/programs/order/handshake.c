// A ready flag under the mutex; the data itself is written and read outside of it.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, data;

static void *producer(void *arg) {
    data = 42;                                  // no-race
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
    while (!ready)                              // no-race
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    int seen = data;                            // no-race
    pthread_join(t, NULL);
    return seen == 42 ? 0 : 1;
}
