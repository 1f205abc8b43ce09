// An unknown number of threads; the join loop stops one too early.
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    sum++;                                      // race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 20)
        return 0;
    pthread_t *ids = malloc((n + 1) * sizeof *ids);
    for (int i = 0; i < n; i++)
        pthread_create(&ids[i], NULL, worker, NULL);
    for (int i = 0; i < n - 1; i++)
        pthread_join(ids[i], NULL);
    free(ids);
    return sum >= 0 ? 0 : 1;                    // race
}
