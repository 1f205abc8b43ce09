// putc_unlocked under the lock of the stream, which fputs takes by itself.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static FILE *file;

static void *first(void *arg)
{
    flockfile(file);
    putc_unlocked('a', file); // no-race alarm(explore): the order can be told from the file
    funlockfile(file);
    return arg;
}

static void *second(void *arg)
{
    fputs("x", file); // no-race
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
    return 0;
}
