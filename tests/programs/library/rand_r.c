// rand_r with a seed per thread.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdlib.h>

static unsigned seeds[3];

static void *worker(void *arg) {
    unsigned *seed = arg;
    int sum = 0;
    for (int i = 0; i < 5; i++)
        sum += rand_r(seed) % 10;               // no-race
    return sum >= 0 ? arg : NULL;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, &seeds[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return seeds[0] == seeds[1] ? 0 : 1;        // no-race
}
