// A small word cannot be rotated to the value.
// x & 0xffff is less than 2^16, and rotated less than 2^19.
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static unsigned rotated(unsigned x) {
    return x << 3 | x >> 29;
}

static void *first(void *arg) {
    unsigned x = __VERIFIER_nondet_uint();
    if (rotated(x & 0xffff) == 0xdeddeaec)
        shared = 1;                             // no-race alarm(lockset): data exclude the branch
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
