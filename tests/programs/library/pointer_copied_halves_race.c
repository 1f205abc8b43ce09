// A pointer is cut in two by copying, and put together again.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <string.h>

static int shared, other;

static void *first(void *arg)
{
    int *from = &shared;
    uint32_t low, high;
    void *p = &other;
    memcpy(&low, &from, 4);
    memcpy(&high, (char *)&from + 4, 4);
    p = (void *)((uintptr_t)high << 32 | low);
    *(int *)p = 1; // race
    return arg;
}

static void *second(void *arg)
{
    shared = 2; // race
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
