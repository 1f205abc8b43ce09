// A thread that is created under a condition and joined under the same condition.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static int value;

static void *worker(void *arg) {
    value++;                                    // no-race alarm(explore): not all inputs are tried
    return arg;
}

int main(void) {
    pthread_t t;
    int parallel = __VERIFIER_nondet_int();
    if (parallel)
        pthread_create(&t, NULL, worker, NULL);
    if (parallel)
        pthread_join(t, NULL);
    value++;                                    // no-race
    return value <= 2 ? 0 : 1;                  // no-race
}
