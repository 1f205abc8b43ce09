// bsearch looks through one row of a matrix, under the lock of who writes there.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int matrix[3][4];

static int compare(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;   // no-race
}

static void *first(void *arg) {
    int key = 3;
    pthread_mutex_lock(&m);
    bsearch(&key, matrix[1], 4, sizeof(int), compare);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    matrix[1][2] = 2;                          // no-race
    pthread_mutex_unlock(&m);
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
