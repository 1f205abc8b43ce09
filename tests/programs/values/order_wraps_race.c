// One number is less than the other, but with one added to both it is not: the greater one wraps around.
#include <limits.h>
#include <pthread.h>

static unsigned long low = LONG_MAX - 1UL, high = LONG_MAX;
static int data;

static void *worker(void *arg) {
    unsigned long x = low, y = high;
    if ((long)x < (long)y && (long)(x + 1) >= (long)(y + 1))
        data++;                                 // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_create(&t, NULL, worker, NULL);
    return 0;
}
