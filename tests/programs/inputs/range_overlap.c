// Two ranges of a buffer touch, but never overlap.
// The range begins at 40 at the latest and ends with 41.
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

static char buffer[48];

static void fill(unsigned at, unsigned length, char with) {
    for (unsigned k = 0; k < length; k++)
        buffer[at + k] = with;                  // no-race alarm(lockset): an array is one; alarm(explore): not all inputs
}

static void *first(void *arg) {
    unsigned x = __VERIFIER_nondet_uint();
    unsigned length = __VERIFIER_nondet_uint();
    __VERIFIER_assume(x < 41 && length <= 2);
    fill(x * 7 % 41, length, 'a');
    return arg;
}

static void *second(void *arg) {
    fill(42, 2, 'b');
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
