// A mutex is assigned what makes it error-checking, and locked twice: one unlock gives it back.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m;
static int x;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    x++;                                        // race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    m = (pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    x++;                                        // race
    pthread_join(t, NULL);
    return 0;
}
