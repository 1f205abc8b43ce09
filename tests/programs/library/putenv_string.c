// What putenv was given is the environment itself: it is looked up and changed under one lock.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char entry[] = "RP_NAME=abc";
static size_t length;

static void *first(void *arg) {
    pthread_mutex_lock(&m);
    length = strlen(getenv("RP_NAME"));        // no-race alarm(explore): the environment is the library's
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    entry[9] = 'x';                            // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    putenv(entry);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
