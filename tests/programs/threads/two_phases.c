// Threads of a second phase start after those of the first were joined.
#include <pthread.h>

static int value;

static void *first(void *arg) {
    value += 1;                                 // no-race
    return arg;
}

static void *second(void *arg) {
    value *= 2;                                 // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, first, NULL);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, second, NULL);
    pthread_join(t, NULL);
    return value == 2 ? 0 : 1;                  // no-race
}
