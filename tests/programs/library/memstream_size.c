// A stream that grows tells its size in a variable, which is read under one lock.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char *text;
static size_t size, seen;
static FILE *stream;

static void *first(void *arg) {
    pthread_mutex_lock(&m);
    fflush(stream);                            // no-race alarm(explore): what streams do to buffers is not observed
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    seen = size;                               // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    stream = open_memstream(&text, &size);
    fputs("hello", stream);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
