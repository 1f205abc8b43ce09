// Three even numbers do not add up to an odd one.
// Every sum is even.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total, reports;

static void *adds(void *arg) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 22 && n <= 43);
    pthread_mutex_lock(&m);
    total += n * 2;
    int seen = total;
    pthread_mutex_unlock(&m);
    if (seen == 135)
        reports++;                              // no-race alarm(lockset): data exclude the branch
    return arg;
}

int main(void) {
    pthread_t ids[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&ids[i], NULL, adds, NULL);
    reports = 0;                                // no-race alarm(lockset): data exclude the branch; alarm(explore): not all inputs
    for (int i = 0; i < 3; i++)
        pthread_join(ids[i], NULL);
    return reports;
}
