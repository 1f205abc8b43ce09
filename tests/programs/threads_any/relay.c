// Each thread starts its successor, any number of them, when it is done.
#include <pthread.h>

static int place;

static void *runner(void *arg) {
    pthread_t next;
    place++;                                    // no-race alarm(lockset): only one runs at a time, but many exist
    if (place < 4)                              // no-race alarm(lockset): only one runs at a time, but many exist
        pthread_create(&next, NULL, runner, arg);
    return arg;
}

int main(void) {
    pthread_t first;
    pthread_create(&first, NULL, runner, NULL);
    return 0;
}
