// One thread has every third element, the other one the next ones.
#include <pthread.h>
#include <stddef.h>

extern _Bool __VERIFIER_nondet_bool(void);

static int x[8];

static unsigned choose(void) {
    return __VERIFIER_nondet_bool() ? 1 : 0;
}

static void *first(void *arg) {
    unsigned long i = choose();
    x[3 * i]++;                                 // no-race
    return arg;
}

static void *second(void *arg) {
    unsigned long i = choose();
    x[3 * i + 1]++;                             // no-race
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
