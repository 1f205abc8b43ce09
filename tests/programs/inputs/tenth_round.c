// No number of rounds has this sum.
// 45 is a sum of the first numbers, and so is 55, but 46 is none.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *first(void *arg) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 14)
        return arg;
    int total = 0;
    for (int i = 0; i < n; i++)
        total += i;
    if (total == 46)
        shared = total;                         // no-race alarm(lockset): data exclude the branch
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
