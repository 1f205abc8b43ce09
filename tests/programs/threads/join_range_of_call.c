// One function creates n threads and joins them; it is called with different numbers.
#include <pthread.h>

static pthread_t ids[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;
extern _Bool __VERIFIER_nondet_bool(void);

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    sum++;                                      // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

static void run(int n) {
    for (int i = 0; i < n; i++)
        pthread_create(&ids[i], NULL, worker, NULL);
    for (int i = 0; i < n; i++)
        pthread_join(ids[i], NULL);
    sum++;                                      // no-race
}

int main(void) {
    int a = 1 + __VERIFIER_nondet_bool(), b = __VERIFIER_nondet_bool();
    run(a);
    run(b);
    return sum;                                 // no-race
}
