// The locale is set before there are threads.
#define _GNU_SOURCE
#include <ctype.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>

static int letter = 'a';

static void *first(void *arg)
{
    int (*volatile test)(int) = isalpha;
    printf("%d\n", test(letter)); // no-race alarm(explore): the locale is no memory of the program
    return arg;
}

static void *second(void *arg)
{
    printf("%d\n", letter); // no-race
    return arg;
}

int main(void)
{
    pthread_t a, b;
    setlocale(LC_ALL, ""); // no-race
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
