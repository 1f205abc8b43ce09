// Two inputs cannot have an even difference and differ in their last bit.
// 0x5a is even, so a ^ b == 0x5a says that the last bits are equal.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int key, shared;

static void *first(void *arg) {
    int a = __VERIFIER_nondet_int();
    pthread_mutex_lock(&m);
    key = a;
    pthread_mutex_unlock(&m);
    shared = 1;                                 // no-race alarm(lockset): data exclude the branch
    return arg;
}

static void *second(void *arg) {
    int b = __VERIFIER_nondet_int();
    pthread_mutex_lock(&m);
    int a = key;
    int matches = a > 1000 && b > 900 && (a ^ b) == 0x5a && ((a & 1) != (b & 1));
    pthread_mutex_unlock(&m);
    if (matches)
        shared = 2;                             // no-race alarm(lockset): data exclude the branch; alarm(explore): not all inputs
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
