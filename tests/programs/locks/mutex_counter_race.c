// The worker takes the mutex, main does not.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    counter++;                                  // race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    counter = 5;                                // no-race
    pthread_create(&t, NULL, worker, NULL);
    counter++;                                  // race
    pthread_join(t, NULL);
    return counter == 7 ? 0 : 1;                // no-race
}
