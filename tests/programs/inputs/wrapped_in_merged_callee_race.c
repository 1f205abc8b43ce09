// A callee compares sums that have wrapped, so many that it is looked at for all of them at once.
#include <pthread.h>

extern unsigned long __VERIFIER_nondet_ulong(void);

static int hits;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void demand_little(long a) {
    if (a >= 10)
        pthread_exit(NULL);
}

static void *worker(void *arg) {
    unsigned long u = __VERIFIER_nondet_ulong();
    demand_little((long)(u + 1));
    demand_little((long)(u + 2));
    demand_little((long)(u + 3));
    demand_little((long)(u + 4));
    demand_little((long)(u + 5));
    demand_little((long)(u + 6));
    demand_little((long)(u + 7));
    if ((long)u < 3) {
        pthread_mutex_lock(&m);
        hits++;                                         // race
        pthread_mutex_unlock(&m);
    } else {
        hits++;                                         // race
    }
    return arg;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, worker, NULL);
    pthread_create(&u, NULL, worker, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
