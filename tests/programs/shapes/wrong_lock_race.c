// Jobs are taken out under one lock, and put in under another.
#include <pthread.h>
#include <stdlib.h>

struct job {
    struct job *next;
    int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    struct job *mine = jobs; // race
    if (mine != NULL)
        jobs = mine->next; // race
    pthread_mutex_unlock(&lock);
    if (mine != NULL)
        mine->number++; // race
    return NULL;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, worker, NULL);
    struct job *job = malloc(sizeof *job);
    if (job == NULL)
        return 1;
    job->number = 1; // race
    pthread_mutex_lock(&other);
    job->next = jobs; // race
    jobs = job;       // race
    pthread_mutex_unlock(&other);
    pthread_join(a, NULL);
    return 0;
}
