// bsearch looks through one row of a matrix, in which another thread writes.
#include <pthread.h>
#include <stdlib.h>

static int matrix[3][4];

static int compare(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;   // race
}

static void *first(void *arg) {
    int key = 3;
    bsearch(&key, matrix[1], 4, sizeof(int), compare);
    return arg;
}

static void *second(void *arg) {
    matrix[1][2] = 2;                          // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
