// sscanf makes the string itself (%ms); two threads write to it under one lock.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char *word;

static void *first(void *arg) {
    pthread_mutex_lock(&m);
    word[0] = 'a';                             // no-race alarm(explore): what sscanf makes is not observed
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    word[0] = 'b';                             // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    if (sscanf("hello", "%ms", &word) != 1) {
        return 1;
    }
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
