// A recursive mutex is held twice, and given back once at most, before the access.
#define _GNU_SOURCE
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m;
static int shared;

static void count(int times) {
    pthread_mutex_lock(&m);
    for (int k = 0; k < times; k++)
        pthread_mutex_unlock(&m);
    shared++;                                   // no-race alarm(lockset): values decide; alarm(explore): not all inputs
    for (int k = 0; k < times; k++)
        pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}

static void *first(void *arg) {
    int x = __VERIFIER_nondet_int();
    pthread_mutex_lock(&m);
    count(x > 50 && x < 5000 && x % 61 == 13 ? 1 : 0);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    shared--;                                   // no-race alarm(lockset): values decide; alarm(explore): not all inputs
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attributes);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
