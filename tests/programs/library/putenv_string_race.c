// What putenv was given is the environment itself: getenv returns it, and another thread changes it.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char entry[] = "RP_NAME=abc";
static size_t length;

static void *first(void *arg) {
    length = strlen(getenv("RP_NAME"));        // race
    return arg;
}

static void *second(void *arg) {
    entry[9] = 'x';                            // race
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
