// A word that is rotated must have a given value.
// The race needs: x = 0x9bdbbd5d: rotated left by 3 it is 0xdeddeaec.
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static unsigned rotated(unsigned x) {
    return x << 3 | x >> 29;
}

static void *first(void *arg) {
    unsigned x = __VERIFIER_nondet_uint();
    if (rotated(x) == 0xdeddeaec)
        shared = 1;                             // race missed(explore): it tries other values
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
