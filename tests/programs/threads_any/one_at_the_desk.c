// Any number of clerks: who finds the desk free, under the lock, sits down and writes without it.
#include <pthread.h>

extern int __VERIFIER_nondet_bool(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t free_again = PTHREAD_COND_INITIALIZER;
static int taken;
static int ledger;

static void sit_down(void) {
    pthread_mutex_lock(&m);
    while (taken)
        pthread_cond_wait(&free_again, &m);
    taken = 1;
    pthread_mutex_unlock(&m);
}

static void stand_up(void) {
    pthread_mutex_lock(&m);
    taken = 0;
    pthread_cond_signal(&free_again);
    pthread_mutex_unlock(&m);
}

static void *clerk(void *arg) {
    sit_down();
    ledger++;                                   // no-race alarm(lockset): a lock made of a flag under a mutex
    stand_up();
    return arg;
}

int main(void) {
    for (int i = 0; i < 2 && __VERIFIER_nondet_bool(); i++) {
        pthread_t t;
        pthread_create(&t, NULL, clerk, NULL);
    }
    return 0;
}
