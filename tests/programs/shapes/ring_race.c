// The list is a ring: who takes one job out of it still has the others in sight.
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
    struct job *mine = jobs;
    if (mine != NULL)
        jobs = mine->next;
    pthread_mutex_unlock(&lock);
    if (mine != NULL)
        mine->number++; // race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    struct job *job = malloc(sizeof *job);
    if (job == NULL)
        return 1;
    job->number = 0;
    job->next = job;
    jobs = job;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
