// Main does not wait for the worker before it takes what is there without the lock.
#include <pthread.h>
#include <stdlib.h>

struct job {
    struct job *next;
    int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
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
    struct job *job = malloc(sizeof *job);
    if (job == NULL)
        return 1;
    job->number = 0;
    job->next = NULL;
    jobs = job;
    pthread_create(&a, NULL, worker, NULL);
    struct job *left = jobs; // race
    jobs = NULL;             // race
    if (left != NULL)
        left->number = 7; // race
    pthread_join(a, NULL);
    return 0;
}
