// One writer and N readers of one atomic variable: 2^N traces.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 12
#endif

static atomic_int x;

static void *writer(void *arg) {
    atomic_store(&x, 1);
    return arg;
}

static void *reader(void *arg) {
    int seen = atomic_load(&x);
    return seen >= 0 ? arg : NULL;
}

int main(void) {
    pthread_t threads[N + 1];
    pthread_create(&threads[0], NULL, writer, NULL);
    for (int i = 1; i <= N; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
