// Two threads add i to j and j to i, N times each, while main looks at both: 19,605 traces for N = 4.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 4
#endif

static atomic_int i = 1, j = 1;

static void *first(void *arg) {
    for (int k = 0; k < N; k++)
        atomic_fetch_add(&i, atomic_load(&j));
    return arg;
}

static void *second(void *arg) {
    for (int k = 0; k < N; k++)
        atomic_fetch_add(&j, atomic_load(&i));
    return arg;
}

int main(void) {
    pthread_t a, b;
    int seen_i, seen_j;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    seen_i = atomic_load(&i);
    seen_j = atomic_load(&j);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen_i >= 1 && seen_j >= 1 ? 0 : 1;
}
