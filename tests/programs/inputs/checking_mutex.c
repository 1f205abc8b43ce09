// An error-checking mutex is not taken again by its holder, and given back only if it was.
#define _GNU_SOURCE
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m;
static int shared;

static void *first(void *arg) {
    int x = __VERIFIER_nondet_int();
    pthread_mutex_lock(&m);
    if (x > 50 && x < 5000 && x % 71 == 17) {
        int refused = pthread_mutex_lock(&m);
        if (!refused)
            pthread_mutex_unlock(&m);
    }
    shared++;                                   // no-race alarm(lockset): values decide; alarm(explore): not all inputs
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
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &attributes);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
