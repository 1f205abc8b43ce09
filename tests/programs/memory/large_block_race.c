// A block larger than the explorer has: that malloc fails is not all that may happen.
#include <pthread.h>
#include <stdlib.h>

static int shared;

static void *worker(void *arg) {
    shared = 1;                                 // race missed(explore): malloc fails there, at a limit of its own
    return arg;
}

int main(void) {
    pthread_t t;
    char *block = malloc((size_t)5 << 30);
    if (block == NULL)
        return 1;
    pthread_create(&t, NULL, worker, NULL);
    shared = 2;                                 // race missed(explore): malloc fails there, at a limit of its own
    pthread_join(t, NULL);
    free(block);
    return 0;
}
