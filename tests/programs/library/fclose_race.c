// A stream is closed while another thread writes to it: its own lock is no help against that.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static FILE *file;

static void *first(void *arg)
{
    fclose(file); // race missed(explore): streams are no memory of the program
    return arg;
}

static void *second(void *arg)
{
    fputs("x", file); // race missed(explore): streams are no memory of the program
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
