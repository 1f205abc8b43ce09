// Whatever the input, both threads take the same lock.
// x is global and is not written while the threads run.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int x, shared;

static void *first(void *arg) {
    int which = x > 1000 && x < 1100 && x % 97 == 5;
    pthread_mutex_lock(&locks[which]);
    shared++;                                   // no-race alarm(lockset): the lock is computed
    pthread_mutex_unlock(&locks[which]);
    return arg;
}

static void *second(void *arg) {
    int which = x > 1000 && x < 1100 && x % 97 == 5;
    pthread_mutex_lock(&locks[which]);
    shared--;                                   // no-race alarm(lockset): the lock is computed; alarm(explore): not all inputs
    pthread_mutex_unlock(&locks[which]);
    return arg;
}

int main(void) {
    pthread_t a, b;
    x = __VERIFIER_nondet_int();
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
