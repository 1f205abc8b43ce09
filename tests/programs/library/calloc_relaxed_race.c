// Zeroed memory is published with a relaxed store: nothing orders what the library wrote before the reader.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Atomic(int *) shared;

static void *first(void *arg)
{
    int *made = calloc(4, sizeof(int)); // race
    atomic_store_explicit(&shared, made, memory_order_relaxed);
    return arg;
}

static void *second(void *arg)
{
    int *q = atomic_load_explicit(&shared, memory_order_relaxed);
    if (q != NULL)
        printf("%d\n", q[1]); // race
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
