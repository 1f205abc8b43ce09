// A local recursive mutex is locked twice: one unlock does not give it back.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t *m;
static int x;

static void *worker(void *arg) {
    pthread_mutex_lock(m);
    x++;                                        // no-race
    pthread_mutex_unlock(m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_mutex_t local = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    m = &local;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(m);
    pthread_mutex_lock(m);
    pthread_mutex_unlock(m);
    x++;                                        // no-race
    pthread_mutex_unlock(m);
    pthread_join(t, NULL);
    return 0;
}
