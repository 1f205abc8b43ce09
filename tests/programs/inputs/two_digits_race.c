// Two characters are the digits of a number.
// The race needs: the characters 4 and 2.
#include <pthread.h>

extern char __VERIFIER_nondet_char(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static int digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : -1;
}

static void *first(void *arg) {
    int tens = digit(__VERIFIER_nondet_char());
    int ones = digit(__VERIFIER_nondet_char());
    if (tens < 0 || ones < 0)
        return NULL;
    if (tens * 10 + ones == 42)
        shared = ones;                          // race missed(explore): it tries other values
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
