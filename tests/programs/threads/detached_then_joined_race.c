// A join of a thread that was created detached is refused at once, and orders nothing.
#include <pthread.h>

static int value;

static void *worker(void *arg) {
    value++;                                    // race
    return arg;
}

int main(void) {
    pthread_attr_t attr;
    pthread_t t;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attr, worker, NULL);
    pthread_join(t, NULL);
    return value >= 0 ? 0 : 1;                  // race
}
