// Unsigned arithmetic in as many bits as a pointer has wraps around: these conditions hold.
#include <limits.h>
#include <pthread.h>

static int negative, zero, small;

static void *worker(void *arg) {
    unsigned long a = LONG_MAX;
    a = a + 1;
    if ((long)a < 0)
        negative++;                             // race
    unsigned long b = a * 2;
    if (b == 0)
        zero++;                                 // race
    if (b < 5)
        small++;                                // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_create(&t, NULL, worker, NULL);
    return 0;
}
