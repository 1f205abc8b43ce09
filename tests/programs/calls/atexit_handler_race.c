// A handler registered by atexit runs while a thread that nobody joined still writes.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int value;

static void at_end(void) {
    if (value > 1)                              // race
        abort();
    usleep(1000);
}

static void *worker(void *arg) {
    value = 1;                                  // race
    return arg;
}

int main(void) {
    pthread_t t;
    atexit(at_end);
    pthread_create(&t, NULL, worker, NULL);
    return 0;
}
