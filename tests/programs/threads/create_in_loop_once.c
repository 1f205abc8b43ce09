// A create inside a loop that is left right after it: one instance only.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static int value;

static void *worker(void *arg) {
    value++;                                    // no-race alarm(explore): not all inputs are tried
    return arg;
}

int main(void) {
    pthread_t t;
    for (;;) {
        if (__VERIFIER_nondet_int()) {
            pthread_create(&t, NULL, worker, NULL);
            break;
        }
    }
    pthread_join(t, NULL);
    return value == 1 ? 0 : 1;                  // no-race
}
