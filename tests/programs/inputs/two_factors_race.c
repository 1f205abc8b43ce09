// The product of two inputs.
// The race needs: 17 and 23.
#include <pthread.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *first(void *arg) {
    int p = __VERIFIER_nondet_uchar();
    int q = __VERIFIER_nondet_uchar();
    if (p > 1 && q > p && p * q == 391)
        shared = p;                             // race missed(explore): it tries other values
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    shared++;                                   // race missed(explore): it tries other values
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
