// What realloc has copied to a new block is published with a relaxed store.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic(char *) shared;

static void *first(void *arg)
{
    char *small = malloc(4);
    if (small == NULL)
        return NULL;
    small[0] = 1;
    char *made = realloc(small, 4000); // race
    atomic_store_explicit(&shared, made, memory_order_relaxed);
    return arg;
}

static void *second(void *arg)
{
    char *q = atomic_load_explicit(&shared, memory_order_relaxed);
    if (q != NULL)
        printf("%d\n", q[0]); // race
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
