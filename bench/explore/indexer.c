// N threads put four messages each into a hash table of 128 cells; threads 11 apart collide: 8^(N - 11) traces.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 14
#endif
#define CELLS 128
#define MESSAGES 4

static atomic_int table[CELLS];

static void *worker(void *arg) {
    int id = (int)(long)arg;
    for (int m = 1; m <= MESSAGES; m++) {
        int message = m * 11 + id;
        int cell = message * 7 % CELLS;
        int empty = 0;
        while (!atomic_compare_exchange_strong(&table[cell], &empty, message)) {
            cell = (cell + 1) % CELLS;
            empty = 0;
        }
    }
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
