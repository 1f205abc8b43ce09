// The sum cannot wrap around.
// Both are less than 2^31.
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *first(void *arg) {
    unsigned used = __VERIFIER_nondet_uint();
    unsigned wanted = __VERIFIER_nondet_uint();
    if (used < 100 || wanted < 100 || used >= 0x70000000 || wanted >= 0x70000000)
        return arg;
    if (used + wanted == 5)
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
