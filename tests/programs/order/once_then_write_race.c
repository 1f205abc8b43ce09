// What pthread_once has made is written again by everyone.
#include <pthread.h>

static pthread_once_t control = PTHREAD_ONCE_INIT;
static int value;

static void make(void) {
    value = 1;                                  // no-race
}

static void *worker(void *arg) {
    pthread_once(&control, make);
    value++;                                    // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value >= 1 ? 0 : 1;                  // no-race
}
