// Between create and join, main is not alone.
#include <pthread.h>

static int value;

static void *worker(void *arg) {
    value += 2;                                 // race
    return arg;
}

int main(void) {
    pthread_t t;
    value = 1;                                  // no-race
    pthread_create(&t, NULL, worker, NULL);
    value *= 2;                                 // race
    pthread_join(t, NULL);
    return value > 2 ? 0 : 1;                   // no-race
}
