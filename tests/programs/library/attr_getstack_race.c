// pthread_attr_getstack gives back the stack that was set.
#define _GNU_SOURCE
#include <pthread.h>

static char stack[65536], other;

static void *first(void *arg)
{
    pthread_attr_t attributes;
    size_t size;
    void *p = &other;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, sizeof stack);
    pthread_attr_getstack(&attributes, &p, &size);
    *(char *)p = 1; // race
    return arg;
}

static void *second(void *arg)
{
    stack[0] = 2; // race
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
