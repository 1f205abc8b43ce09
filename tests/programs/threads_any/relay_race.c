// Each thread starts its successor, any number of them, and goes on.
#include <pthread.h>

static int place;

static void *runner(void *arg) {
    pthread_t next;
    if (place < 4)                              // race
        pthread_create(&next, NULL, runner, arg);
    place++;                                    // race
    return arg;
}

int main(void) {
    pthread_t first;
    pthread_create(&first, NULL, runner, NULL);
    return 0;
}
