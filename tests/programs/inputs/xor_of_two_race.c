// Two inputs must differ in four bits, in two threads.
// The race needs: a = 1002, b = 944: a ^ b is 0x5a and both are large.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int key, shared;

static void *first(void *arg) {
    int a = __VERIFIER_nondet_int();
    pthread_mutex_lock(&m);
    key = a;
    pthread_mutex_unlock(&m);
    shared = 1;                                 // race missed(explore): it tries other values
    return arg;
}

static void *second(void *arg) {
    int b = __VERIFIER_nondet_int();
    pthread_mutex_lock(&m);
    int a = key;
    int matches = a > 1000 && b > 900 && (a ^ b) == 0x5a;
    pthread_mutex_unlock(&m);
    if (matches)
        shared = 2;                             // race missed(explore): it tries other values
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
