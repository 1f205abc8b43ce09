// A callee compares a sum that has wrapped; the caller's own comparison is of another number.
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

static unsigned long start;
static long limit;
static int hits;

static void demand_less(long a, long b) {
    if (a >= b)
        abort();
}

static void *worker(void *arg) {
    unsigned long u = start;                            // no-race
    long y = limit;                                     // no-race
    demand_less((long)(u + 1), y);
    if ((long)u >= y - 1)
        hits++;                                         // race
    return arg;
}

int main(void) {
    pthread_t t, u;
    start = LONG_MAX;                                   // no-race
    limit = 5;                                          // no-race
    pthread_create(&t, NULL, worker, NULL);
    pthread_create(&u, NULL, worker, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
