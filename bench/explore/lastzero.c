// N threads set array[i] = array[i-1] + 1, one looks for the last zero from the end: (N + 3) * 2^(N - 2) traces.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 10
#endif

static atomic_int array[N + 1];

static void *writer(void *arg) {
    long i = (long)arg;
    atomic_store(&array[i], atomic_load(&array[i - 1]) + 1);
    return NULL;
}

static void *searcher(void *arg) {
    long i = N;
    while (atomic_load(&array[i]) != 0)
        i--;
    return i >= 0 ? arg : NULL;
}

int main(void) {
    pthread_t threads[N + 1];
    pthread_create(&threads[0], NULL, searcher, NULL);
    for (long i = 1; i <= N; i++)
        pthread_create(&threads[i], NULL, writer, (void *)i);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
