// A local error-checking mutex is locked twice: the second call fails, and one unlock gives it back.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t *m;
static int x;

static void *worker(void *arg) {
    pthread_mutex_lock(m);
    x++;                                        // race
    pthread_mutex_unlock(m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_mutex_t local = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    m = &local;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(m);
    pthread_mutex_lock(m);
    pthread_mutex_unlock(m);
    x++;                                        // race
    pthread_join(t, NULL);
    return 0;
}
