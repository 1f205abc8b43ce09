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

static void use(struct job *job) {
    if (job != NULL)
        job->number++; // race
}

static void *worker(void *arg) {
    use(calloc(1, sizeof *jobs));
    pthread_mutex_lock(&lock);
    struct job *mine = jobs;
    pthread_cond_wait(&more, &lock);
    if (mine != NULL && jobs == mine)
        jobs = mine->next;
    pthread_mutex_unlock(&lock);
    use(mine);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return 1;
    jobs = job;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
