// A thread that has switched cancellation off ends its work; then the pending cancellation takes effect.
#include <pthread.h>

static int steps;

static void *worker(void *arg) {
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    pthread_testcancel();
    steps++;                                    // no-race
    pthread_setcancelstate(old, NULL);
    pthread_testcancel();
    steps++;                                    // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_cancel(t);
    pthread_join(t, NULL);
    return steps >= 0 ? 0 : 1;                  // no-race
}
