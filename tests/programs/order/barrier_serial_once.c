// Exactly one of the threads that a barrier lets go gets the special result: it alone counts.
#include <pthread.h>

static pthread_barrier_t barrier;
static int count;

static void *worker(void *arg) {
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        count++;                                // no-race alarm(lockset): one thread only gets that result
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    return count == 1 ? 0 : 1;                  // no-race
}
