// Two inputs of main must stand in a linear relation.
// The race needs: b = 11, a = 34: a is 3 * b + 1.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int a, b, shared;

static void *first(void *arg) {
    if (b > 10 && b < 1000 && a == 3 * b + 1)
        shared = a;                             // race missed(explore): it tries other values
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    shared++;                                   // race missed(explore): it tries other values
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t one, two;
    a = __VERIFIER_nondet_int();
    b = __VERIFIER_nondet_int();
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
