// A block larger than the explorer has, and no race behind it.
#include <pthread.h>
#include <stdlib.h>

static int shared;

static void *worker(void *arg) {
    shared = 1;                                 // no-race alarm(explore): malloc fails there, at a limit of its own
    return arg;
}

int main(void) {
    pthread_t t;
    char *block = malloc((size_t)5 << 30);
    if (block == NULL)
        return 1;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    shared = 2;                                 // no-race alarm(explore): malloc fails there, at a limit of its own
    free(block);
    return 0;
}
