// dlsym finds a variable of the program by its name.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>

int shared, other;

static void *first(void *arg)
{
    int *p = dlsym(RTLD_DEFAULT, "shared");
    if (p == NULL)
        p = &other;
    *p = 1; // race
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
