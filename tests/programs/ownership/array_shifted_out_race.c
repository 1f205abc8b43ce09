// The argument of each thread is a number of which only the lowest bit is left: two have the same.
#include <pthread.h>

static char cell[4];

static void *worker(void *arg) {
    unsigned long i = (unsigned long)arg;
    if (i < 4)
        cell[i]++;                              // race
    return NULL;
}

int main(void) {
    pthread_t t;
    for (unsigned long i = 0; i < 3; i++)
        pthread_create(&t, NULL, worker, (void *)(i << 63));
    return 0;
}
