// Three threads add their inputs; the one that comes to exactly 100 reports without the lock.
// The race needs: 33 three times, or any other three with the sum 99.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total, reports;

static void *adds(void *arg) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 22 && n <= 43);
    pthread_mutex_lock(&m);
    total += n;
    int seen = total;
    pthread_mutex_unlock(&m);
    if (seen == 99)
        reports++;                              // race missed(explore): it tries other values
    return arg;
}

int main(void) {
    pthread_t ids[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&ids[i], NULL, adds, NULL);
    reports = 0;                                // race missed(explore): it tries other values
    for (int i = 0; i < 3; i++)
        pthread_join(ids[i], NULL);
    return reports;
}
