// The lock is told by the highest bit of a number, the element by twice the number, where that bit is lost.
#include <pthread.h>
#include <stddef.h>

extern _Bool __VERIFIER_nondet_bool(void);

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int x[8];

static unsigned long choose(void) {
    return __VERIFIER_nondet_bool() ? 0x8000000000000001ul : 1;
}

static void *worker(void *arg) {
    unsigned long i = choose();
    pthread_mutex_lock(&locks[i >> 63]);
    x[2 * i]++;                                 // race
    pthread_mutex_unlock(&locks[i >> 63]);
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
