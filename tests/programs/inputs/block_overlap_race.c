// A block that is copied reaches into one that is cleared, for one offset.
// The race needs: x = 35: six bytes from 40 on.
#include <pthread.h>
#include <string.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

static char buffer[64];

static void *first(void *arg) {
    unsigned x = __VERIFIER_nondet_uint();
    char name[6] = "first";
    __VERIFIER_assume(x < 41);
    memcpy(buffer + x * 7 % 41, name, 6);     // race missed(explore): it tries other values
    return arg;
}

static void *second(void *arg) {
    memset(buffer + 45, 0, 8);                // race missed(explore): it tries other values
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
