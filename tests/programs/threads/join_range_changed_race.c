// The number of threads is changed between the loop that creates them and the loop that joins them.
#include <pthread.h>

static pthread_t ids[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum, number;
extern _Bool __VERIFIER_nondet_bool(void);

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    sum++;                                      // race
    pthread_mutex_unlock(&m);
    return arg;
}

static void start(void) {
    for (int i = 0; i < number; i++)
        pthread_create(&ids[i], NULL, worker, NULL);
}

static void finish(void) {
    for (int i = 0; i < number; i++)
        pthread_join(ids[i], NULL);
}

int main(void) {
    number = 1 + __VERIFIER_nondet_bool();
    start();
    number = __VERIFIER_nondet_bool();
    finish();
    return sum;                                 // race
}
