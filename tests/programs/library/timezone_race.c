// localtime_r sets timezone, under a lock that the program does not have.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static void *first(void *arg)
{
    time_t now = 0;
    struct tm parts;
    localtime_r(&now, &parts); // race missed(explore): what the library does to its own variables is not told
    return arg;
}

static void *second(void *arg)
{
    printf("%ld\n", timezone); // race missed(explore): what the library does to its own variables is not told
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
