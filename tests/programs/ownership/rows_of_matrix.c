// Each thread fills some rows of a matrix, found by its number.
#include <pthread.h>

#define THREADS 4
#define ROWS 3
#define COLUMNS 5

static int matrix[THREADS * ROWS][COLUMNS];

static void *worker(void *arg) {
    long number = (long)arg;
    for (long row = number * ROWS; row < (number + 1) * ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            matrix[row][column] = 1;            // no-race
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
