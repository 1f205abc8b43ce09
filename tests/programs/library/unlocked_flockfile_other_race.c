// putc_unlocked under the lock of another stream than that which fputs uses.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static FILE *file, *other;

static void *first(void *arg)
{
    flockfile(other);
    putc_unlocked('a', file); // race missed(explore): streams are no memory of the program
    funlockfile(other);
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
    other = fopen("/dev/null", "w");
    if (file == NULL || other == NULL)
        return 1;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
