// A join of a thread that was detached meanwhile is refused at once, and orders nothing.
#include <pthread.h>

static int value;

static void *worker(void *arg) {
    value++;                                    // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_detach(t);
    pthread_join(t, NULL);
    return value >= 0 ? 0 : 1;                  // race
}
