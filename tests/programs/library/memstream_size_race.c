// A stream that grows tells its size in a variable, which another thread reads.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static char *text;
static size_t size, seen;
static FILE *stream;

static void *first(void *arg) {
    fflush(stream);                            // race missed(explore): what streams do to buffers is not observed
    return arg;
}

static void *second(void *arg) {
    seen = size;                               // race missed(explore): what streams do to buffers is not observed
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
