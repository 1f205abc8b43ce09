// An unknown number of threads, ids on the heap, all joined before the last read.
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    sum++;                                      // no-race alarm(explore): not all inputs are tried
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 20)
        return 0;
    pthread_t *ids = malloc(n * sizeof *ids);
    for (int i = 0; i < n; i++)
        pthread_create(&ids[i], NULL, worker, NULL);
    for (int i = 0; i < n; i++)
        pthread_join(ids[i], NULL);
    free(ids);
    return sum == n ? 0 : 1;                    // no-race
}
