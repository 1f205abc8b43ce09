// Two threads use one conversion descriptor, one at a time.
#define _GNU_SOURCE
#include <iconv.h>
#include <pthread.h>

static iconv_t converter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void convert(void)
{
    char in[] = "a", out[8];
    char *from = in, *to = out;
    size_t left = 1, room = sizeof out;
    pthread_mutex_lock(&lock);
    iconv(converter, &from, &left, &to, &room); // no-race alarm(explore): handles are no memory of the program
    pthread_mutex_unlock(&lock);
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
