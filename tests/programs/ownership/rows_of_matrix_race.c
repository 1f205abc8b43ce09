// As rows_of_matrix.c, but each thread fills the first row of the next one, too.
#include <pthread.h>

#define THREADS 2
#define ROWS 1
#define COLUMNS 1

static int matrix[THREADS * ROWS][COLUMNS];

static void *worker(void *arg) {
    long number = (long)arg;
    for (long row = number * ROWS; row <= (number + 1) * ROWS && row < THREADS * ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            matrix[row][column] = 1;            // race
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
