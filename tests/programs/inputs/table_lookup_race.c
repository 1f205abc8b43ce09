// What stands in a constant table decides.
// The race needs: x % 16 == 11, as x = 27.
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

static const short weights[16] = {3, 14, 15, 92, 65, 35, 89, 79, 32, 38, 46, 77, 43, 83, 27, 95};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *first(void *arg) {
    unsigned x = __VERIFIER_nondet_uint();
    if (weights[x % 16] == 77)
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
