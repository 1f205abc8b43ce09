// A thread makes another and joins it before it ends itself: main's join covers both.
#include <pthread.h>

static int value;

static void *inner(void *arg) {
    value++;                                    // no-race
    return arg;
}

static void *outer(void *arg) {
    pthread_t t;
    value++;                                    // no-race
    pthread_create(&t, NULL, inner, NULL);
    pthread_join(t, NULL);
    value++;                                    // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, outer, NULL);
    pthread_join(t, NULL);
    return value == 3 ? 0 : 1;                  // no-race
}
