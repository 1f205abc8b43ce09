// Main is one of the threads at the barrier: it fills the input before, the worker reads after.
#include <pthread.h>

static pthread_barrier_t barrier;
static int input, output;

static void *worker(void *arg) {
    pthread_barrier_wait(&barrier);
    output = input * 2;                         // no-race
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, worker, NULL);
    input = 21;                                 // no-race
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    int seen = output;                          // no-race
    pthread_join(t, NULL);
    return seen == 42 ? 0 : 1;
}
