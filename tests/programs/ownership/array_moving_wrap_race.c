// The index of each thread is an unsigned number that moves in steps so large that it comes back to zero.
#include <pthread.h>

static int cell[4];

static void *worker(void *arg) {
    long i = (long)arg;
    if (i >= 0 && i < 4)
        cell[i]++;                              // race
    return NULL;
}

int main(void) {
    pthread_t t;
    unsigned c = 0;
    for (int i = 0; i < 5; i++, c += 0x40000000u)
        pthread_create(&t, NULL, worker, (void *)(long)(int)c);
    return 0;
}
