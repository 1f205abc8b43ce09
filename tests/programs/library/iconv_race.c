// Two threads use one conversion descriptor: it has a state.
#define _GNU_SOURCE
#include <iconv.h>
#include <pthread.h>

static iconv_t converter;
static void convert(void)
{
    char in[] = "a", out[8];
    char *from = in, *to = out;
    size_t left = 1, room = sizeof out;
    iconv(converter, &from, &left, &to, &room); // race missed(explore): handles are no memory of the program
}

static void *first(void *arg)
{
    convert();
    return arg;
}

static void *second(void *arg)
{
    convert();
    return arg;
}

int main(void)
{
    pthread_t a, b;
    converter = iconv_open("UTF-16", "UTF-8");
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
