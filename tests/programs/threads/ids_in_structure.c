// A structure on the heap has the ids of its threads, in an array of its own, and how many there are; all get it.
#include <pthread.h>
#include <stdlib.h>

struct pool {
    pthread_mutex_t lock;
    int done;
    pthread_t *ids;
    int count;
};

static void *worker(void *arg) {
    struct pool *pool = arg;
    pthread_mutex_lock(&pool->lock);            // no-race
    pool->done++;                               // no-race
    pthread_mutex_unlock(&pool->lock);          // no-race
    return NULL;
}

int main(void) {
    struct pool *pool = malloc(sizeof *pool);
    pool->count = 4;                            // no-race
    pool->done = 0;                             // no-race
    pthread_mutex_init(&pool->lock, NULL);
    pool->ids = malloc(pool->count * sizeof *pool->ids); // no-race
    for (int i = 0; i < pool->count; i++)       // no-race
        pthread_create(&pool->ids[i], NULL, worker, pool); // no-race
    for (int i = 0; i < pool->count; i++)       // no-race
        pthread_join(pool->ids[i], NULL);       // no-race
    int done = pool->done;                      // no-race
    free(pool->ids);                            // no-race
    free(pool);                                 // no-race
    return done - 4;
}
