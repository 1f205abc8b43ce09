// A stream is closed when nobody uses it any more.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static FILE *file;

static void *first(void *arg)
{
    fprintf(file, "%d", 1); // no-race
    return arg;
}

static void *second(void *arg)
{
    fputs("x", file); // no-race alarm(explore): who writes first can be told from the file
    return arg;
}

int main(void)
{
    pthread_t a, b;
    file = fopen("/dev/null", "w");
    if (file == NULL)
        return 1;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    fclose(file); // no-race
    return 0;
}
