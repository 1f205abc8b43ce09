// The lock is told by the lowest bit of a number, the element by twice the number.
#include <pthread.h>
#include <stddef.h>

extern _Bool __VERIFIER_nondet_bool(void);

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int x[8];

static unsigned choose(void) {
    return __VERIFIER_nondet_bool() ? 2 : 1;
}

static void *worker(void *arg) {
    unsigned long i = choose();
    pthread_mutex_lock(&locks[i & 1]);
    x[2 * i]++;                                 // no-race
    pthread_mutex_unlock(&locks[i & 1]);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
