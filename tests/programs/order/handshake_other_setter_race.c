// Two threads set the ready flag under the mutex, only one of them has written the data.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, data;

static void set_ready(void) {
    pthread_mutex_lock(&m);
    ready = 1;                                  // no-race
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
}

static void *producer(void *arg) {
    data = 42;                                  // race
    set_ready();
    return arg;
}

static void *impatient(void *arg) {
    set_ready();
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&b, NULL, impatient, NULL);
    pthread_create(&a, NULL, producer, NULL);
    pthread_mutex_lock(&m);
    while (!ready)                              // no-race
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    int seen = data;                            // race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen >= 0 ? 0 : 1;
}
