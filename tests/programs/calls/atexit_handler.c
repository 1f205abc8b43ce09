// A handler registered by atexit reads what threads wrote that were joined before the end.
#include <pthread.h>
#include <stdlib.h>

static int value;

static void at_end(void) {
    if (value != 1)                             // no-race alarm(lockset): an exit handler is taken to run at any time
        abort();
}

static void *worker(void *arg) {
    value = 1;                                  // no-race alarm(lockset): an exit handler is taken to run at any time
    return arg;
}

int main(void) {
    pthread_t t;
    atexit(at_end);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
