// A stream that was just opened is published with release and found with acquire.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static _Atomic(FILE *) shared;

static void *first(void *arg)
{
    FILE *made = fopen("/dev/null", "w"); // no-race alarm(explore): streams are no memory of the program
    atomic_store_explicit(&shared, made, memory_order_release);
    return arg;
}

static void *second(void *arg)
{
    FILE *q = atomic_load_explicit(&shared, memory_order_acquire);
    if (q != NULL)
        fputs("x", q); // no-race
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
