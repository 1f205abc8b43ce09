// The queue is made at the beginning, and a global variable points to it; threads find it in what they are given.
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

struct worker {
    struct pool *pool;
    int is_first;
};

static struct pool *all;

static struct job *take(struct pool *pool) {
    pthread_mutex_lock(&pool->lock);
    struct job *mine = pool->jobs;
    if (mine != NULL)
        pool->jobs = mine->next; // no-race alarm(lockset): an object that was taken out belongs to who took it
    pthread_mutex_unlock(&pool->lock);
    return mine;
}

static void *worker(void *arg) {
    struct worker *self = arg;
    struct job *mine = take(self->is_first ? all : self->pool);
    if (mine != NULL) {
        mine->number++; // no-race alarm(lockset): an object that was taken out belongs to who took it
        free(mine); // no-race alarm(lockset): an object that was taken out belongs to who took it
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    struct pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL)
        return 1;
    pthread_mutex_init(&pool->lock, NULL);
    all = pool;
    struct worker first = {pool, 1}, second = {pool, 0};
    pthread_create(&a, NULL, worker, &first);
    pthread_create(&b, NULL, worker, &second);
    for (int i = 0; i < 2; i++) {
        struct job *job = malloc(sizeof *job);
        if (job == NULL)
            return 1;
        job->number = i; // no-race alarm(lockset): an object that was taken out belongs to who took it
        pthread_mutex_lock(&pool->lock);
        job->next = pool->jobs; // no-race alarm(lockset): an object that was taken out belongs to who took it
        pool->jobs = job;
        pthread_mutex_unlock(&pool->lock);
    }
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
