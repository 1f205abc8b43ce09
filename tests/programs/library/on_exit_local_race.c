// A handler that the program registered gets the address of a local variable: it runs in the thread that calls exit.
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdlib.h>

static void handler(int status, void *arg) {
    *(int *)arg = status;                       // race
}

static void *worker(void *arg) {
    exit(0);
    return arg;
}

int main(void) {
    pthread_t t;
    int result = 0;
    on_exit(handler, &result);
    pthread_create(&t, NULL, worker, NULL);
    result = 2;                                 // race
    pthread_join(t, NULL);
    return 0;
}
