// Two ranges of a buffer overlap for one offset and one length.
// The race needs: x = 35, length = 3: the range begins at 40 and ends with 42.
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

static char buffer[48];

static void fill(unsigned at, unsigned length, char with) {
    for (unsigned k = 0; k < length; k++)
        buffer[at + k] = with;                  // race missed(explore): it tries other values
}

static void *first(void *arg) {
    unsigned x = __VERIFIER_nondet_uint();
    unsigned length = __VERIFIER_nondet_uint();
    __VERIFIER_assume(x < 41 && length <= 3);
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
