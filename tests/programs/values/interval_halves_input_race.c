// Each of two threads writes at an index that the input gives; the halves overlap in one element.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#define HALF 4
static int cell[2 * HALF];

static void *lower(void *arg) {
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i > HALF)
        return arg;
    cell[i] = 1;                                // race
    return arg;
}

static void *upper(void *arg) {
    int i = __VERIFIER_nondet_int();
    if (i < HALF || i >= 2 * HALF)
        return arg;
    cell[i] = 2;                                // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, lower, NULL);
    pthread_create(&b, NULL, upper, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
