// The start function is also called directly, after the thread has ended.
#include <pthread.h>

static int value;

static void *worker(void *arg) {
    value++;                                    // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    worker(NULL);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    worker(NULL);
    return value == 3 ? 0 : 1;                  // no-race
}
