/* CPU-bound: four threads multiply two matrices, each its own rows. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4

static int n;
static double *a, *b, *c;

static void *rows(void *argument) {
    int me = (int)(long)argument;
    for (int i = me; i < n; i += THREADS)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
    return NULL;
}

int main(int argc, char **argv) {
    n = argc > 1 ? atoi(argv[1]) : 200;
    a = malloc(sizeof *a * n * n);
    b = malloc(sizeof *b * n * n);
    c = malloc(sizeof *c * n * n);
    for (int i = 0; i < n * n; i++) a[i] = i % 7, b[i] = i % 5;
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, rows, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    double sum = 0;
    for (int i = 0; i < n * n; i++) sum += c[i];
    printf("%g\n", sum);
    return 0;
}
