// A stream that was just opened is published with a relaxed store.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static _Atomic(FILE *) shared;

static void *first(void *arg)
{
    FILE *made = fopen("/dev/null", "w"); // race missed(explore): streams are no memory of the program
    atomic_store_explicit(&shared, made, memory_order_relaxed);
    return arg;
}

static void *second(void *arg)
{
    FILE *q = atomic_load_explicit(&shared, memory_order_relaxed);
    if (q != NULL)
        fputs("x", q); // race missed(explore): streams are no memory of the program
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
