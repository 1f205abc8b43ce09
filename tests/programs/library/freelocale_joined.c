// Several threads use one locale, which is freed behind them.
#define _GNU_SOURCE
#include <ctype.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>

static locale_t locale;

static void *first(void *arg)
{
    printf("%d\n", isalpha_l('a', locale)); // no-race alarm(explore): handles are no memory of the program
    return arg;
}

static void *second(void *arg)
{
    printf("%d\n", isalpha_l('b', locale)); // no-race
    return arg;
}

int main(void)
{
    pthread_t a, b;
    locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    freelocale(locale); // no-race
    return 0;
}
