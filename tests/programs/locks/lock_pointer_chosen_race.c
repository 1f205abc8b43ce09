// The lock pointer may be one of two locks, depending on the input.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t m2 = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *worker(void *arg) {
    pthread_mutex_t *m = __VERIFIER_nondet_int() ? &m1 : &m2;
    pthread_mutex_lock(m);
    value++;                                    // race
    pthread_mutex_unlock(m);
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
