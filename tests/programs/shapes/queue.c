// First in, first out: the queue has a pointer to its last element, which is null if there is none.
#include <pthread.h>
#include <stdlib.h>

struct job {
    struct job *next;
    int number;
};

struct queue {
    pthread_mutex_t lock;
    struct job *first;
    struct job *last;
};

static struct queue queue = {PTHREAD_MUTEX_INITIALIZER, NULL, NULL};

static void put(struct queue *q, struct job *job) {
    job->next = NULL; // no-race alarm(lockset): an object that was taken out belongs to who took it
    pthread_mutex_lock(&q->lock);
    if (q->last != NULL)
        q->last->next = job; // no-race alarm(lockset): an object that was taken out belongs to who took it
    else
        q->first = job;
    q->last = job;
    pthread_mutex_unlock(&q->lock);
}

static struct job *get(struct queue *q) {
    pthread_mutex_lock(&q->lock);
    struct job *job = q->first;
    if (job != NULL) {
        q->first = job->next; // no-race alarm(lockset): an object that was taken out belongs to who took it
        if (q->first == NULL)
            q->last = NULL;
    }
    pthread_mutex_unlock(&q->lock);
    return job;
}

static void *worker(void *arg) {
    struct job *job = get(&queue);
    if (job != NULL) {
        job->number++; // no-race alarm(lockset): an object that was taken out belongs to who took it
        put(&queue, job);
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    for (int i = 0; i < 2; i++) {
        struct job *job = malloc(sizeof *job);
        if (job == NULL)
            return 1;
        job->number = i; // no-race alarm(lockset): an object that was taken out belongs to who took it
        put(&queue, job);
    }
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
