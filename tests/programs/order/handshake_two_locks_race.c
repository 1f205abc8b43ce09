// The flag is set under one mutex and tested under another.
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t m2 = PTHREAD_MUTEX_INITIALIZER;
static int ready, data;

static void *producer(void *arg) {
    data = 42;                                  // race
    pthread_mutex_lock(&m1);
    ready = 1;                                  // race
    pthread_mutex_unlock(&m1);
    return arg;
}

int main(void) {
    pthread_t t;
    int is_ready = 0;
    pthread_create(&t, NULL, producer, NULL);
    while (!is_ready) {
        pthread_mutex_lock(&m2);
        is_ready = ready;                       // race
        pthread_mutex_unlock(&m2);
        sched_yield();
    }
    int seen = data;                            // race
    pthread_join(t, NULL);
    return seen >= 0 ? 0 : 1;
}
