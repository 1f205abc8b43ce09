// Exactly ten rounds of a loop are needed.
// The race needs: n = 10: 0 + 1 + ... + 9 is 45.
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
    if (total == 45)
        shared = total;                         // race missed(explore): it tries other values
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
