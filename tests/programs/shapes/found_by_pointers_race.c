// A thread finds the queue in what it is given, where main has put another one meanwhile.
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
    pthread_mutex_lock(&pool->lock); // race
    struct job *mine = pool->jobs; // race missed(explore): behind a lock that is used while it is initialised
    if (mine != NULL)
        pool->jobs = mine->next;
    pthread_mutex_unlock(&pool->lock);
    return mine;
}

static void *worker(void *arg) {
    struct worker *self = arg;
    struct job *mine = take(self->is_first ? all : self->pool); // race
    if (mine != NULL) {
        mine->number++;
        free(mine);
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    struct pool *pool = malloc(sizeof *pool);
    if (pool == NULL)
        return 1;
    pthread_mutex_init(&pool->lock, NULL);
    pool->jobs = NULL;
    all = pool;
    struct worker first = {pool, 1}, second = {pool, 0};
    pthread_create(&a, NULL, worker, &first);
    pthread_create(&b, NULL, worker, &second);
    struct pool *other = malloc(sizeof *other);
    struct job *job = malloc(sizeof *job);
    if (other == NULL || job == NULL)
        return 1;
    pthread_mutex_init(&other->lock, NULL); // race
    other->jobs = NULL; // race missed(explore): see above
    job->next = NULL;
    job->number = 1;
    pthread_mutex_lock(&pool->lock);
    pool->jobs = job;
    pthread_mutex_unlock(&pool->lock);
    first.is_first = 0;  // race
    first.pool = other;  // race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
