// A recursive mutex taken twice and released twice is free again.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t m;
static int value, inside;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    inside++;                                   // no-race
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
    value++;                                    // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attr);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value == 2 ? 0 : 1;                  // no-race
}
