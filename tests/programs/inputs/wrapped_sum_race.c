// The sum of two large unsigned numbers is nothing.
#include <limits.h>
#include <pthread.h>
#include <stddef.h>

static int zeros, small;

static void *worker(void *arg) {
    unsigned long half = (unsigned long)arg;
    if (half + half == 0)
        zeros++;                                        // race
    if (half + half < 5)
        small++;                                        // race
    return NULL;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, worker, (void *)(LONG_MAX + 1UL));
    pthread_create(&u, NULL, worker, (void *)(LONG_MAX + 1UL));
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
