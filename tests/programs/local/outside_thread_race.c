// A thread runs a function that is defined nowhere, which may touch what it was given at any time.
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
    pthread_create(&a, NULL, outside, &given);  // race missed(explore): `outside` is defined nowhere
    pthread_create(&b, NULL, worker, NULL);
    given = 1;                                  // race missed(explore): `outside` is defined nowhere
    pthread_mutex_lock(&lock);
    unrelated++;                                // no-race
    pthread_mutex_unlock(&lock);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
