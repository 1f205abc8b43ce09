// The counter of the queue is cleared, not the queue.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct job {
    int number;
};

struct queue {
    long count;
    struct job *job;
    long other;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct queue queue;

static void use(struct job *job) {
    if (job != NULL)
        job->number++; // race
}

static void *worker(void *arg) {
    use(calloc(1, sizeof *queue.job));
    pthread_mutex_lock(&lock);
    struct job *seen = queue.job;
    pthread_mutex_unlock(&lock);
    use(seen);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    queue.job = calloc(1, sizeof *queue.job);
    memset(&queue.count, 0, sizeof queue.count);
    memset(&queue.other, 0, sizeof queue.other);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
