// dlsym finds another variable than the one that is used.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>

int shared, other;

static void *first(void *arg)
{
    int *p = dlsym(RTLD_DEFAULT, "other");
    if (p != NULL)
        *p = 1;
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
