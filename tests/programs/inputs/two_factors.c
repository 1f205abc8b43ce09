// The product is a prime number.
// 397 is prime, and both factors are greater than 1.
#include <pthread.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *first(void *arg) {
    int p = __VERIFIER_nondet_uchar();
    int q = __VERIFIER_nondet_uchar();
    if (p > 1 && q > p && p * q == 397)
        shared = p;                             // no-race alarm(lockset): data exclude the branch
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    shared++;                                   // no-race alarm(lockset): data exclude the branch; alarm(explore): not all inputs
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
