// A barrier is destroyed by a thread that has passed it, as the others have come to it by then.
#include <pthread.h>

static pthread_barrier_t barrier;

static void *worker(void *arg) {
    pthread_barrier_wait(&barrier);             // no-race
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);    // no-race
    pthread_create(&thread, NULL, worker, NULL);
    pthread_barrier_wait(&barrier);             // no-race
    pthread_barrier_destroy(&barrier);          // no-race
    pthread_join(thread, NULL);
    return 0;
}
