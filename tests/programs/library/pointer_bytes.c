// A pointer is copied byte by byte over another one.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static int shared, mine, other;

static void *first(void *arg)
{
    int *from = &mine, *to = &other;
    const char *source = (const char *)&from;
    char *target = (char *)&to;
    for (size_t i = 0; i < sizeof from; i++)
        target[i] = source[i];
    *to = 1; // no-race
    return arg;
}

static void *second(void *arg)
{
    shared = 2; // no-race
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
