// A thread makes another and does not wait for it: main's join of the first says nothing about the second.
#include <pthread.h>

static int value;

static void *inner(void *arg) {
    value++;                                    // race
    return arg;
}

static void *outer(void *arg) {
    pthread_t t;
    pthread_create(&t, NULL, inner, NULL);
    pthread_detach(t);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, outer, NULL);
    pthread_join(t, NULL);
    return value >= 0 ? 0 : 1;                  // race
}
