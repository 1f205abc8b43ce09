// Multiples of different numbers are the same once they have wrapped: all threads have the same element.
#include <pthread.h>
#include <stddef.h>

static int data[4], others[4];

static void *worker(void *arg) {
    data[(unsigned long)arg]++;                         // race
    return NULL;
}

static void *shifting(void *arg) {
    unsigned long far = (unsigned long)arg << (sizeof far * 8 - 1);
    others[far]++;                                      // race
    return NULL;
}

int main(void) {
    pthread_t t[2], u[2];
    for (unsigned long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)(i * (~0UL / 2 + 1) * 2));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (unsigned long i = 0; i < 2; i++)
        pthread_create(&u[i], NULL, shifting, (void *)(2 * i));
    for (int i = 0; i < 2; i++)
        pthread_join(u[i], NULL);
    return 0;
}
