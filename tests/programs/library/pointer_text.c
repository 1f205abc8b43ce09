// A pointer is printed and read back.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static int shared, mine, other;

static void *first(void *arg)
{
    char text[40];
    void *p = &other;
    sprintf(text, "%p", (void *)&mine);
    sscanf(text, "%p", &p);
    *(int *)p = 1; // no-race
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
