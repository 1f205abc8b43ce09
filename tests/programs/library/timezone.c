// Two threads may ask for the local time; timezone is read when they have ended.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static void *first(void *arg)
{
    time_t now = 0;
    struct tm parts;
    localtime_r(&now, &parts); // no-race alarm(explore): what the library does to its own variables is not told
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
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%ld\n", timezone); // no-race
    return 0;
}
