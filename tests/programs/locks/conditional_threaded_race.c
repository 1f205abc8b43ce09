// "Lock only when there are threads", but the flag is switched off before the join.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int threaded;
static int value;

static void bump(void) {
    int locked = threaded;                      // race
    if (locked)
        pthread_mutex_lock(&m);
    value++;                                    // race
    if (locked)
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
    threaded = 0;                               // race
    bump();
    pthread_join(a, NULL);
    return value == 3 ? 0 : 1;                  // no-race
}
