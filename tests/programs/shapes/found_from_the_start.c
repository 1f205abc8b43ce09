// A variable points to the queue from the beginning, and is never changed; the queue is cleared before threads start.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct job {
    struct job *next;
    int number;
};

struct queue {
    struct job *jobs;
    pthread_mutex_t lock;
};

static struct queue queue;
static struct queue *all = &queue;

static void *worker(void *arg) {
    pthread_mutex_lock(&all->lock);
    struct job *mine = all->jobs;
    if (mine != NULL)
        all->jobs = mine->next; // no-race alarm(lockset): an object that was taken out belongs to who took it
    pthread_mutex_unlock(&all->lock);
    if (mine != NULL) {
        mine->number++; // no-race alarm(lockset): an object that was taken out belongs to who took it
        free(mine); // no-race alarm(lockset): an object that was taken out belongs to who took it
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    memset(&queue, 0, sizeof queue);
    pthread_mutex_init(&queue.lock, NULL);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    for (int i = 0; i < 2; i++) {
        struct job *job = malloc(sizeof *job);
        if (job == NULL)
            return 1;
        memset(job, 0, sizeof *job); // no-race alarm(lockset): an object that was taken out belongs to who took it
        job->number = i; // no-race alarm(lockset): an object that was taken out belongs to who took it
        pthread_mutex_lock(&all->lock);
        if (all->jobs != NULL)
            job->next = all->jobs; // no-race alarm(lockset): an object that was taken out belongs to who took it
        all->jobs = job;
        pthread_mutex_unlock(&all->lock);
    }
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
