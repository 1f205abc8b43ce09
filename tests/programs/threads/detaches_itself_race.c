// A thread that detaches itself before it is joined: the join is refused, and orders nothing.
#include <pthread.h>

static int value;

static void *worker(void *arg) {
    pthread_detach(pthread_self());
    value++;                                    // race missed(explore): detaching is no event
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return value >= 0 ? 0 : 1;                  // race missed(explore): see above
}
