// A pointer is printed by a function with a list of arguments, and read back.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static int shared, mine, other;

static void say(char *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsprintf(text, format, list);
    va_end(list);
}

static void *first(void *arg)
{
    char text[40];
    void *p = &other;
    say(text, "%p", (void *)&mine);
    sscanf(text, "%p", &p);
    *(int *)p = 1; // no-race
    return arg;
}

static void *second(void *arg)
{
    shared = 2; // no-race
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
