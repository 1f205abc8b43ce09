// One thread works on a row, another on a column: they meet in one cell.
#include <pthread.h>

#define N 3
static int matrix[N][N];

static void *row(void *arg) {
    long r = (long)arg;
    for (int c = 0; c < N; c++)
        matrix[r][c] = 1;                       // race
    return NULL;
}

static void *column(void *arg) {
    long c = (long)arg;
    for (int r = 0; r < N; r++)
        matrix[r][c] = 2;                       // race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, row, (void *)1L);
    pthread_create(&b, NULL, column, (void *)2L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return matrix[1][2] > 0 ? 0 : 1;            // no-race
}
