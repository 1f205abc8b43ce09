// A lock that is tried is not free, but no input has this square.
// 1370 is no square.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *first(void *arg) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x >= 0 && x < 100);
    if (pthread_mutex_trylock(&m) == 0) {
        shared++;
        pthread_mutex_unlock(&m);
    } else if (x * x == 1370) {
        shared = x;                             // no-race alarm(lockset): data exclude the branch
    }
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
