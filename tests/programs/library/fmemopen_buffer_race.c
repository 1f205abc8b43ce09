// A stream over an array writes to it; so does another thread, without the stream.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static char text[32];
static FILE *stream;

static void *first(void *arg) {
    fputs("hello", stream);                    // race missed(explore): what streams do to buffers is not observed
    return arg;
}

static void *second(void *arg) {
    text[1] = 'x';                             // race missed(explore): what streams do to buffers is not observed
    return arg;
}

int main(void) {
    pthread_t a, b;
    stream = fmemopen(text, sizeof text, "w+");
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
