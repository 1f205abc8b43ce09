// Two threads compute indices into a table; few inputs let them meet.
// The race needs: i = 25, j = 82: both come to 62.
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

static int table[64];

static void *first(void *arg) {
    unsigned i = __VERIFIER_nondet_uint();
    __VERIFIER_assume(i >= 20 && i <= 30);
    table[(i * 5 + 1) % 64] = 1;                // race missed(explore): it tries other values
    return arg;
}

static void *second(void *arg) {
    unsigned j = __VERIFIER_nondet_uint();
    __VERIFIER_assume(j >= 70 && j <= 90);
    table[(j * 3 + 8) % 64] = 2;                // race missed(explore): it tries other values
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
