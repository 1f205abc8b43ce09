// A robust mutex that is not made consistent: whoever comes second cannot lock it, and leaves.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;
static int value;

static void *dies(void *arg) {
    pthread_mutex_lock(&lock);
    return arg;
}

static void *worker(void *arg) {
    if (pthread_mutex_lock(&lock) == ENOTRECOVERABLE)
        return arg;
    value++;                                    // no-race alarm(lockset): whoever got the lock is not told apart by the result
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_mutexattr_t attr;
    pthread_t t, a, b;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attr);
    pthread_create(&t, NULL, dies, NULL);
    pthread_join(t, NULL);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value >= 1 ? 0 : 1;                  // no-race
}
