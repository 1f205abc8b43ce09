// A function that only sorts an array of its own: the comparison counts its calls, under a lock.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int comparisons;

static int compare(const void *p, const void *q) {
    pthread_mutex_lock(&m);
    comparisons++;                              // no-race
    pthread_mutex_unlock(&m);
    return *(const int *)p - *(const int *)q;   // no-race
}

static int smallest(int first, int second) {
    int mine[2] = {first, second};
    qsort(mine, 2, sizeof mine[0], compare);    // no-race
    return mine[0];                             // no-race
}

static void *worker(void *arg) {
    return smallest(3, 1) == 1 ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return comparisons > 0 ? 0 : 1;             // no-race
}
