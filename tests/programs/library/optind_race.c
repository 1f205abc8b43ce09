// getopt keeps its place in optind, which another thread reads.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static char *words[] = {"program", "-x", NULL};

static void *first(void *arg)
{
    getopt(2, words, "x"); // race missed(explore): what the library does to its own variables is not told
    return arg;
}

static void *second(void *arg)
{
    printf("%d\n", optind); // race missed(explore): what the library does to its own variables is not told
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
