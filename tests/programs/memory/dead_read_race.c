// A read whose value is not used is a read.
#include <pthread.h>

static int value;

static void *worker(void *arg) {
    value = 1;                                  // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    int unused = value;                         // race
    (void)unused;
    pthread_join(t, NULL);
    return value == 1 ? 0 : 1;                  // no-race
}
