// The environment is changed before there are threads.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static void *first(void *arg)
{
    tzset(); // no-race
    return arg;
}

static void *second(void *arg)
{
    tzset(); // no-race
    return arg;
}

int main(void)
{
    pthread_t a, b;
    setenv("TZ", "UTC", 1); // no-race alarm(explore): the environment is no memory of the program
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
