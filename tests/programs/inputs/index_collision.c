// The indices of the two threads are even and odd.
// 4 * i + 1 is odd and 4 * j + 8 even, also after the remainder.
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

static int table[64];

static void *first(void *arg) {
    unsigned i = __VERIFIER_nondet_uint();
    __VERIFIER_assume(i >= 20 && i <= 30);
    table[(i * 4 + 1) % 64] = 1;                // no-race alarm(lockset): an array is one
    return arg;
}

static void *second(void *arg) {
    unsigned j = __VERIFIER_nondet_uint();
    __VERIFIER_assume(j >= 70 && j <= 90);
    table[(j * 4 + 8) % 64] = 2;                // no-race alarm(lockset): an array is one; alarm(explore): not all inputs
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
