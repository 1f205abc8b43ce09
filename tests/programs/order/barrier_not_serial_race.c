// Of three threads two do not get the special result of the barrier: both count.
#include <pthread.h>

static pthread_barrier_t barrier;
static int count;

static void *worker(void *arg) {
    if (pthread_barrier_wait(&barrier) != PTHREAD_BARRIER_SERIAL_THREAD)
        count++;                                // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&barrier, NULL, 3);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    worker(NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return count >= 1 ? 0 : 1;                  // no-race
}
