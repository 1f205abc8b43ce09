// The relation between the two inputs has no solution.
// 3 * b + 1 is no multiple of 3.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int a, b, shared;

static void *first(void *arg) {
    if (b > 10 && b < 1000 && a == 3 * b + 1 && a % 3 == 0)
        shared = a;                             // no-race alarm(lockset): data exclude the branch
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    shared++;                                   // no-race alarm(lockset): data exclude the branch; alarm(explore): not all inputs
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
