// pthread_attr_getstack gives back the stack that was set, and nobody else uses it.
#define _GNU_SOURCE
#include <pthread.h>

static char stack[65536], other;

static void *first(void *arg)
{
    pthread_attr_t attributes;
    size_t size;
    void *p = &stack[1];
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, sizeof stack);
    pthread_attr_getstack(&attributes, &p, &size);
    *(char *)p = 1;
    return arg;
}

static void *second(void *arg)
{
    other = 2; // no-race
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
