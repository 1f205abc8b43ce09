// getopt has finished when threads read optind.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static char *words[] = {"program", "-x", NULL};

static void *first(void *arg)
{
    printf("%d\n", optind); // no-race alarm(explore): what the library does to its own variables is not told
    return arg;
}

static void *second(void *arg)
{
    printf("%d\n", optind); // no-race
    return arg;
}

int main(void)
{
    pthread_t a, b;
    getopt(2, words, "x"); // no-race
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
