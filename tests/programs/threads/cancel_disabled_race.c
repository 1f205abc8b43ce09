// A cancelled thread goes on to its next cancellation point: main does not wait for it.
#include <pthread.h>

static int steps;

static void *worker(void *arg) {
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    pthread_testcancel();
    steps++;                                    // race
    pthread_setcancelstate(old, NULL);
    pthread_testcancel();
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_cancel(t);
    steps++;                                    // race
    pthread_join(t, NULL);
    return steps >= 1 ? 0 : 1;                  // no-race
}
