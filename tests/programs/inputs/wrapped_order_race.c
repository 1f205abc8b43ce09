// An unsigned sum wraps: what follows the largest signed number is less than it, as a signed number.
#include <limits.h>
#include <pthread.h>
#include <stddef.h>

static unsigned long start;
static int hits, calls, sums;

static int is_less(long a, long b) {
    return a < b;
}

static void *worker(void *arg) {
    unsigned long last = start;                         // no-race
    if ((long)(last + 1) < (long)last)
        hits++;                                         // race
    if (is_less((long)(last + 1), (long)last))
        calls++;                                        // race
    if (last + last + 2 == 0)
        sums++;                                         // race
    return arg;
}

int main(void) {
    pthread_t t, u;
    start = LONG_MAX;                                   // no-race
    pthread_create(&t, NULL, worker, NULL);
    pthread_create(&u, NULL, worker, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
