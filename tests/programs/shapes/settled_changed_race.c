// The variable that leads to a queue is set again before threads start: they use another queue, with another lock.
#include <pthread.h>
#include <stdlib.h>

struct job {
    int number;
};

struct queue {
    pthread_mutex_t lock;
    struct job *job;
};

static struct queue one = {PTHREAD_MUTEX_INITIALIZER, NULL};
static struct queue two = {PTHREAD_MUTEX_INITIALIZER, NULL};
static struct queue *chosen;

static struct queue *same(struct queue *queue) {
    return queue;
}

static void use(struct queue *queue) {
    pthread_mutex_lock(&queue->lock);
    struct job *mine = queue->job;
    queue->job = NULL;
    pthread_mutex_unlock(&queue->lock);
    if (mine != NULL)
        mine->number++; // race
}

static void *worker(void *arg) {
    use(chosen);
    return NULL;
}

int main(void) {
    pthread_t a;
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return 1;
    two.job = job;
    one.job = job;
    chosen = &one;
    chosen = same(&two);
    pthread_create(&a, NULL, worker, NULL);
    use(&one);
    pthread_join(a, NULL);
    return 0;
}
