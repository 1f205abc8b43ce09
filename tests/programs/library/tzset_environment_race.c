// tzset looks TZ up in the environment, which another thread changes.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static void *first(void *arg)
{
    setenv("TZ", "UTC", 1); // race missed(explore): the environment is no memory of the program
    return arg;
}

static void *second(void *arg)
{
    tzset(); // race missed(explore): the environment is no memory of the program
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
