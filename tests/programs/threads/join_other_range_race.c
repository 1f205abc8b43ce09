// One function creates n threads or joins n threads; it is called with different numbers.
#include <pthread.h>

static pthread_t ids[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;
extern _Bool __VERIFIER_nondet_bool(void);

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    sum++;                                      // race
    pthread_mutex_unlock(&m);
    return arg;
}

static void run(int create, int n) {
    if (create) {
        for (int i = 0; i < n; i++)
            pthread_create(&ids[i], NULL, worker, NULL);
    } else {
        for (int i = 0; i < n; i++)
            pthread_join(ids[i], NULL);
    }
}

int main(void) {
    int most = 1 + __VERIFIER_nondet_bool(), some = __VERIFIER_nondet_bool();
    run(1, most);
    run(0, some);
    return sum;                                 // race
}
