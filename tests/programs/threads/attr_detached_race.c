// A thread that is created detached cannot be joined: the join fails and orders nothing.
#include <pthread.h>

static int value;

static void *worker(void *arg) {
    value++;                                    // race
    return arg;
}

int main(void) {
    pthread_attr_t attr;
    pthread_t t;
    int state = -1;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_getdetachstate(&attr, &state);
    pthread_create(&t, &attr, worker, NULL);
    pthread_attr_destroy(&attr);
    if (state != PTHREAD_CREATE_DETACHED)
        pthread_join(t, NULL);
    return value >= 0 ? 0 : 1;                  // race
}
