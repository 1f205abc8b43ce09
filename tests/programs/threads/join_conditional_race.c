// Created always, joined only under a condition.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static int value;

static void *worker(void *arg) {
    value++;                                    // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    if (__VERIFIER_nondet_int())
        pthread_join(t, NULL);
    value++;                                    // race
    return 0;
}
