// A mutex that its initialiser makes recursive is held twice, and given back once at most.
#define _GNU_SOURCE
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
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
    count(x > 50 && x < 5000 && x % 67 == 15 ? 1 : 0);
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
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
