// Workers wait for jobs at a condition.
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
    while (jobs == NULL)
        pthread_cond_wait(&more, &lock);
    struct job *mine = jobs;
    jobs = mine->next; // no-race alarm(lockset): an object that was taken out belongs to who took it
    pthread_mutex_unlock(&lock);
    mine->number++; // no-race alarm(lockset): an object that was taken out belongs to who took it
    free(mine); // no-race alarm(lockset): an object that was taken out belongs to who took it
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    for (int i = 0; i < 2; i++) {
        struct job *job = malloc(sizeof *job);
        if (job == NULL)
            exit(1);
        job->number = i; // no-race alarm(lockset): an object that was taken out belongs to who took it
        pthread_mutex_lock(&lock);
        job->next = jobs; // no-race alarm(lockset): an object that was taken out belongs to who took it
        jobs = job;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
