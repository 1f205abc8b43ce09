// A locale is freed while another thread uses it.
#define _GNU_SOURCE
#include <ctype.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>

static locale_t locale;

static void *first(void *arg)
{
    freelocale(locale); // race missed(explore): handles are no memory of the program
    return arg;
}

static void *second(void *arg)
{
    printf("%d\n", isalpha_l('a', locale)); // race missed(explore): handles are no memory of the program
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
    return 0;
}
