// The test for room wraps around.
// The race needs: used = 0x80000000, wanted = 0x80000005: together 5.
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *first(void *arg) {
    unsigned used = __VERIFIER_nondet_uint();
    unsigned wanted = __VERIFIER_nondet_uint();
    if (used < 100 || wanted < 100 || used >= 0x90000000 || wanted >= 0x90000000)
        return arg;
    if (used + wanted == 5)
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
