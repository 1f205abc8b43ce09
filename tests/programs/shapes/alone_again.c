// Once the workers have ended, main goes through what they have left without the lock.
#include <pthread.h>
#include <stdlib.h>

struct job {
    struct job *next;
    int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;

static void *worker(void *arg) {
    struct job *job = malloc(sizeof *job);
    if (job == NULL)
        return NULL;
    job->number = 1;
    pthread_mutex_lock(&lock);
    job->next = jobs;
    jobs = job;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    job = jobs;
    if (job != NULL)
        jobs = job->next;
    pthread_mutex_unlock(&lock);
    if (job != NULL) {
        job->number++; // no-race alarm(lockset): an object that was taken out belongs to who took it
        pthread_mutex_lock(&lock);
        job->next = jobs;
        jobs = job;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    while (jobs != NULL) {
        struct job *job = jobs;
        jobs = job->next;
        job->number = 0;
        free(job);
    }
    return 0;
}
