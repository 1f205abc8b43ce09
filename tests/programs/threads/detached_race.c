// A thread detaches itself; main sleeps for it, which orders nothing.
#include <pthread.h>
#include <unistd.h>

static int value;

static void *worker(void *arg) {
    pthread_detach(pthread_self());
    value = 1;                                  // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    usleep(10000);
    return value == 1 ? 0 : 1;                  // race
}
