/* A thread pool: workers take numbers from a queue and add up their squares. */
#include <pthread.h>
#include <stdio.h>

enum { WORKERS = 2, JOBS = 4 };

struct pool {
    pthread_mutex_t lock;
    int jobs[JOBS]; /* what is still to be done: jobs[0] to jobs[waiting - 1] */
    int waiting;
    long sum;
};

static struct pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int take(struct pool *p, int *job)
{
    int found = 0;
    pthread_mutex_lock(&p->lock);
    if (p->waiting > 0) {
        *job = p->jobs[--p->waiting];
        found = 1;
    }
    pthread_mutex_unlock(&p->lock);
    return found;
}

static void *worker(void *argument)
{
    struct pool *p = argument;
    int job;
    while (take(p, &job)) {
        long square = (long)job * job;
        p->sum += square;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[WORKERS];
    for (int i = 0; i < JOBS; i++)
        pool.jobs[pool.waiting++] = i + 1;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, worker, &pool);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    printf("sum of squares: %ld\n", pool.sum);
    return 0;
}
