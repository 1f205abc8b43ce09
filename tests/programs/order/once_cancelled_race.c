// A thread that is cancelled in the initialiser has not run it: the next one does, and is not ordered behind.
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int x;

static void init(void) {
    x++;                                        // race
    pthread_testcancel();
}

static void *worker(void *arg) {
    pthread_once(&once, init);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_cancel(a);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return x;                                   // no-race
}
