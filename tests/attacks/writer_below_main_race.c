// A thread that alone writes the pointer creates others, which look when it has moved on.
#include <pthread.h>
#include <stdlib.h>

static int a, b;
static int *place;

static void *inner(void *arg) {
    *place = 1; // race
    return arg;
}

static void *outer(void *arg) {
    pthread_t t;
    place = &a;
    pthread_create(&t, NULL, inner, NULL);
    place = &b; // race
    *place = 2; // race
    pthread_join(t, NULL);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, outer, NULL);
    pthread_join(t, NULL);
    return 0;
}
