// Ids in an array of a structure whose other fields workers use under its lock: the index stays where the loop counts.
#include <pthread.h>

struct pool {
    pthread_mutex_t lock;
    int first;
    pthread_t ids[3];
    int last;
};

static void *worker(void *arg) {
    struct pool *pool = arg;
    pthread_mutex_lock(&pool->lock);
    pool->first++;                                              // no-race
    pool->last--;                                               // no-race
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

int main(void) {
    struct pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER};
    for (int i = 0; i < 3; i++)
        pthread_create(&pool.ids[i], NULL, worker, &pool);      // no-race
    for (int i = 2; i >= 0; i--)
        pthread_join(pool.ids[i], NULL);                        // no-race
    return pool.first + pool.last;                              // no-race
}
