// A thread runs a function that is defined nowhere: it may touch what it was given, and nothing else.
#include <pthread.h>

void *outside(void *arg) __attribute__((weak));

static int given, unrelated;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    unrelated++;                                // no-race
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t a, b;
    given = 1;                                  // no-race alarm(explore): `outside` is defined nowhere
    pthread_create(&a, NULL, outside, &given);
    pthread_create(&b, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    unrelated++;                                // no-race
    pthread_mutex_unlock(&lock);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return given;                               // no-race
}
