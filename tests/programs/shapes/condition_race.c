// A worker looks for a job before it waits, and takes the one that it has seen then.
#include <pthread.h>
#include <stdlib.h>

struct job {
    struct job *next;
    int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static struct job *jobs;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    struct job *mine = jobs;
    pthread_cond_wait(&more, &lock);
    if (mine != NULL && jobs == mine)
        jobs = mine->next;
    pthread_mutex_unlock(&lock);
    if (mine != NULL)
        mine->number++; // race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return 1;
    jobs = job;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
