// "Lock only when there are threads": the flag is constantly one while more than one thread runs.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int threaded;
static int value;

static void bump(void) {
    if (threaded)                               // no-race
        pthread_mutex_lock(&m);
    value++;                                    // no-race
    if (threaded)                               // no-race
        pthread_mutex_unlock(&m);
}

static void *worker(void *arg) {
    bump();
    return arg;
}

int main(void) {
    pthread_t a;
    bump();
    threaded = 1;                               // no-race
    pthread_create(&a, NULL, worker, NULL);
    bump();
    pthread_join(a, NULL);
    threaded = 0;                               // no-race
    bump();
    return value == 4 ? 0 : 1;                  // no-race
}
