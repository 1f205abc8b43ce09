// A robust mutex: EOWNERDEAD also means that the lock is held.
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t m;
static int value;

static void *dies(void *arg) {
    pthread_mutex_lock(&m);
    return arg;
}

static void *worker(void *arg) {
    int r = pthread_mutex_lock(&m);
    if (r == EOWNERDEAD)
        pthread_mutex_consistent(&m);
    value++;                                    // no-race alarm(lockset): the call could fail with ENOTRECOVERABLE
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b, c;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &attr);
    pthread_create(&c, NULL, dies, NULL);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return value == 2 ? 0 : 1;                  // no-race
}
