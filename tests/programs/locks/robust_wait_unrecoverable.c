// A wait whose robust mutex has become unrecoverable returns without it, and says so.
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t m;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int count;

static void *waits(void *arg) {
    if (pthread_mutex_lock(&m) == 0) {
        if (pthread_cond_wait(&c, &m) != 0)
            return arg;
        count++;                                // no-race
        pthread_mutex_unlock(&m);
    }
    return arg;
}

static void *dies(void *arg) {
    pthread_mutex_lock(&m);
    return arg;
}

static void *spoils(void *arg) {
    int r = pthread_mutex_lock(&m);
    if (r == EOWNERDEAD || r == 0)
        pthread_mutex_unlock(&m);
    pthread_cond_broadcast(&c);
    return arg;
}

int main(void) {
    pthread_t t[4];
    pthread_mutexattr_t robust;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &robust);
    pthread_create(&t[0], NULL, waits, NULL);
    pthread_create(&t[1], NULL, waits, NULL);
    pthread_create(&t[2], NULL, dies, NULL);
    pthread_create(&t[3], NULL, spoils, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
