// sscanf makes the string itself (%ms); two threads write to it.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static char *word;

static void *first(void *arg) {
    word[0] = 'a';                             // race
    return arg;
}

static void *second(void *arg) {
    word[0] = 'b';                             // race
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
