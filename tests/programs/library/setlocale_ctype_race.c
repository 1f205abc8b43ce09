// isalpha looks into the locale, which another thread sets.
#define _GNU_SOURCE
#include <ctype.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>

static int letter = 'a';

static void *first(void *arg)
{
    setlocale(LC_ALL, ""); // race missed(explore): the locale is no memory of the program
    return arg;
}

static void *second(void *arg)
{
    int (*volatile test)(int) = isalpha;
    printf("%d\n", test(letter)); // race missed(explore): the locale is no memory of the program
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
