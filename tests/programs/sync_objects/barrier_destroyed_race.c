// A barrier is destroyed by a thread that has not passed it.
#include <pthread.h>

static pthread_barrier_t barrier;

static void *worker(void *arg) {
    pthread_barrier_wait(&barrier);             // race
    return arg;
}

int main(void) {
    pthread_t first, second;
    pthread_barrier_init(&barrier, NULL, 2);    // no-race
    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, worker, NULL);
    pthread_barrier_destroy(&barrier);          // race
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
