// Two instances increment a counter under one statically initialised mutex.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *worker(void *arg) {
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&m);
        counter++;                              // no-race
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return counter == 20 ? 0 : 1;               // no-race
}
