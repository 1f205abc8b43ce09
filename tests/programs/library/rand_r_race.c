// rand_r with one seed for all threads.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdlib.h>

static unsigned seed;

static void *worker(void *arg) {
    int sum = 0;
    for (int i = 0; i < 5; i++)
        sum += rand_r(&seed) % 10;              // race
    return sum >= 0 ? arg : NULL;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return seed != 0 ? 0 : 1;                   // no-race
}
