// A lock that is tried is not free, and the input is a square root.
// The race needs: x = 37, while the other thread has the lock.
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
    } else if (x * x == 1369) {
        shared = x;                             // race missed(explore): it tries other values
    }
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
