// Main holds the mutex when it creates the thread: the new thread does not.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *worker(void *arg) {
    value++;                                    // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, worker, NULL);
    value++;                                    // race
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return value == 2 ? 0 : 1;                  // no-race
}
