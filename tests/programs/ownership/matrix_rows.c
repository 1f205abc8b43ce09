// Each thread works on one row of a matrix.
#include <pthread.h>

#define N 3
static int matrix[N][N];

static void *worker(void *arg) {
    long row = (long)arg;
    for (int column = 0; column < N; column++)
        matrix[row][column] = (int)row;         // no-race
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return matrix[2][0] == 2 ? 0 : 1;           // no-race
}
