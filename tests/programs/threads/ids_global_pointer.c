// A global pointer to the ids of threads, on the heap.
#include <pthread.h>
#include <stdlib.h>

static pthread_t *ids;
static int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    total++;                                    // no-race
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv) {
    (void)argv;
    ids = malloc(argc * sizeof *ids);           // no-race
    for (int i = 0; i < argc; i++)
        pthread_create(&ids[i], NULL, worker, NULL); // no-race
    for (int i = 0; i < argc; i++)
        pthread_join(ids[i], NULL);             // no-race
    free(ids);                                  // no-race
    return total - argc;                        // no-race
}
