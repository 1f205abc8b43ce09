// The start function is a function pointer variable with two possible values.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *up(void *arg) {
    pthread_mutex_lock(&m);
    value++;                                    // no-race alarm(explore): not all inputs are tried
    pthread_mutex_unlock(&m);
    return arg;
}

static void *down(void *arg) {
    pthread_mutex_lock(&m);
    value--;                                    // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    void *(*start)(void *) = __VERIFIER_nondet_int() ? up : down;
    pthread_create(&t, NULL, start, NULL);
    pthread_mutex_lock(&m);
    value += 2;                                 // no-race
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return value > 0 ? 0 : 1;                   // no-race
}
