// The function that compares does nothing but set a local variable of main's, which decides what main does next.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

static int x;

static int compare(const void *a, const void *b, void *arg) {
    int *is_called = arg;
    *is_called = 1;
    return *(const int *)a - *(const int *)b;
}

static void *worker(void *arg) {
    x++;                                        // race
    return arg;
}

int main(void) {
    pthread_t t;
    int numbers[2] = {2, 1};
    int is_called = 0;
    pthread_create(&t, NULL, worker, NULL);
    qsort_r(numbers, 2, sizeof numbers[0], compare, &is_called);
    if (is_called)
        x++;                                    // race
    pthread_join(t, NULL);
    return 0;
}
