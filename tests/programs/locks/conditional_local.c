// A local variable decides about locking; lock, access and unlock ask the same unchanged variable.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *worker(void *arg) {
    int wanted = __VERIFIER_nondet_int();
    if (wanted)
        pthread_mutex_lock(&m);
    if (wanted)
        value++;                                // no-race alarm(explore): not all inputs are tried
    if (wanted)
        pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value <= 2 ? 0 : 1;                  // no-race
}
