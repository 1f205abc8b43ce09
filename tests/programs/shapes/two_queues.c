// Jobs go from one list to another, each with its own lock, and are nobody's in between but the worker's.
#include <pthread.h>
#include <stdlib.h>

struct job {
    int number;
    struct job *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t done_lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;
static struct job *done;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    struct job *mine = jobs;
    if (mine != NULL)
        jobs = mine->next; // no-race alarm(lockset): an object that was taken out belongs to who took it
    pthread_mutex_unlock(&lock);
    if (mine == NULL)
        return NULL;
    mine->number++; // no-race alarm(lockset): an object that was taken out belongs to who took it
    pthread_mutex_lock(&done_lock);
    mine->next = done; // no-race alarm(lockset): an object that was taken out belongs to who took it
    done = mine;
    pthread_mutex_unlock(&done_lock);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        struct job *job = malloc(sizeof *job);
        if (job == NULL)
            return 1;
        job->number = i;
        pthread_mutex_lock(&lock);
        job->next = jobs;
        jobs = job;
        pthread_mutex_unlock(&lock);
    }
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_mutex_lock(&done_lock);
    for (struct job *job = done; job != NULL; job = job->next)
        sum += job->number; // no-race alarm(lockset): an object that was taken out belongs to who took it
    pthread_mutex_unlock(&done_lock);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return sum > 3;
}
