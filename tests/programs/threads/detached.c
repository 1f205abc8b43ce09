// Detached threads and main share a counter under a lock, to the very end of main.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    value++;                                    // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    for (int i = 0; i < 3; i++) {
        pthread_t t;
        pthread_create(&t, NULL, worker, NULL);
        pthread_detach(t);
    }
    pthread_mutex_lock(&m);
    int seen = value;                           // no-race
    pthread_mutex_unlock(&m);
    return seen <= 3 ? 0 : 1;
}
