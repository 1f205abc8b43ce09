// A pointer is cut into halves, kept as numbers, and put together again.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>

static int shared, mine, other;
static uint32_t high, low;

static void *first(void *arg)
{
    high = (uint32_t)((uintptr_t)&mine >> 32);
    low = (uint32_t)(uintptr_t)&mine;
    int *p = (int *)((uintptr_t)high << 32 | low);
    if (p == NULL)
        p = &other;
    *p = 1; // no-race
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
