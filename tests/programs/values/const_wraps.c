// Unsigned arithmetic in as many bits as a pointer has wraps around: these conditions do not hold.
#include <limits.h>
#include <pthread.h>

static int positive, other;

static void *worker(void *arg) {
    unsigned long a = LONG_MAX;
    a = a + 1;
    if ((long)a >= 0)
        positive++;                             // no-race
    unsigned long b = a * 2;
    if (b != 0)
        other++;                                // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_create(&t, NULL, worker, NULL);
    return 0;
}
