// The comparison function of qsort counts its calls, under the lock of the caller.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int comparisons;

static int compare(const void *p, const void *q) {
    comparisons++;                              // no-race
    return *(const int *)p - *(const int *)q;   // no-race
}

static void *worker(void *arg) {
    int mine[4] = {3, 1, 4, 1};
    pthread_mutex_lock(&m);
    qsort(mine, 4, sizeof mine[0], compare);    // no-race
    pthread_mutex_unlock(&m);
    return mine[0] == 1 ? arg : NULL;           // no-race
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return comparisons > 0 ? 0 : 1;             // no-race
}
