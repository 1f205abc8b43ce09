// clock_gettime writes a struct that another thread reads.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <time.h>

static struct timespec last;

static void *worker(void *arg) {
    clock_gettime(CLOCK_MONOTONIC, &last);      // race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    long seen = last.tv_sec;                    // race
    pthread_join(t, NULL);
    return seen >= 0 ? 0 : 1;
}
