// Created detached by an attribute: there is no join, and main reads.
#include <pthread.h>
#include <unistd.h>

static int value;

static void *worker(void *arg) {
    value = 1;                                  // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attr, worker, NULL);
    usleep(10000);
    return value == 1 ? 0 : 1;                  // race
}
