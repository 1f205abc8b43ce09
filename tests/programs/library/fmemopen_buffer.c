// A stream over an array and a thread that writes there without it, under one lock.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char text[32];
static FILE *stream;

static void *first(void *arg) {
    pthread_mutex_lock(&m);
    fputs("hello", stream);                    // no-race alarm(explore): what streams do to buffers is not observed
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    text[1] = 'x';                             // no-race
    pthread_mutex_unlock(&m);
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
