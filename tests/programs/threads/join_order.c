// Before the first create and after the last join, main is alone.
#include <pthread.h>

static int value;

static void *worker(void *arg) {
    value += 2;                                 // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    value = 1;                                  // no-race
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    value *= 2;                                 // no-race
    return value == 6 ? 0 : 1;                  // no-race
}
