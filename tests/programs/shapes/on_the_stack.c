// The queue is a variable of main that threads get a pointer to.
#include <pthread.h>
#include <stdlib.h>

struct job {
    struct job *next;
    int number;
};

struct pool {
    pthread_mutex_t lock;
    struct job *jobs;
};

static void *worker(void *arg) {
    struct pool *pool = arg;
    pthread_mutex_lock(&pool->lock);
    struct job *mine = pool->jobs;
    if (mine != NULL)
        pool->jobs = mine->next; // no-race alarm(lockset): an object that was taken out belongs to who took it
    pthread_mutex_unlock(&pool->lock);
    if (mine != NULL) {
        mine->number++; // no-race alarm(lockset): an object that was taken out belongs to who took it
        free(mine); // no-race alarm(lockset): an object that was taken out belongs to who took it
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    struct pool pool;
    pthread_mutex_init(&pool.lock, NULL);
    pool.jobs = NULL;
    for (int i = 0; i < 2; i++) {
        struct job *job = malloc(sizeof *job);
        if (job == NULL)
            return 1;
        job->number = i;
        job->next = pool.jobs;
        pool.jobs = job;
    }
    pthread_create(&a, NULL, worker, &pool);
    pthread_create(&b, NULL, worker, &pool);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
