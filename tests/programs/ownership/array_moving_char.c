// The index of each thread is a char that moves along with the loop, for fewer rounds than it has numbers.
#include <pthread.h>

static int cell[8];

static void *worker(void *arg) {
    cell[(long)arg]++;                          // no-race
    return NULL;
}

int main(void) {
    pthread_t t;
    signed char c = 0;
    for (int i = 0; i < 3; i++, c++)
        pthread_create(&t, NULL, worker, (void *)(long)c);
    return 0;
}
