// A mutex with every attribute set is a mutex.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t lock;
static int value;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    value++;                                    // no-race
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_mutexattr_t attr;
    pthread_t a, b;
    int robust = -1, shared = -1;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_PRIVATE);
    pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_NONE);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_STALLED);
    pthread_mutexattr_getrobust(&attr, &robust);
    pthread_mutexattr_getpshared(&attr, &shared);
    pthread_mutex_init(&lock, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return robust == PTHREAD_MUTEX_STALLED && value == 2 ? 0 : 1;  // no-race
}
