// A job is looked for in a list and taken out of the middle of it.
#include <pthread.h>
#include <stdlib.h>

struct job {
    struct job *next;
    int number;
    int used;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;

static struct job *take(int number) {
    pthread_mutex_lock(&lock);
    struct job **link = &jobs;
    while (*link != NULL && (*link)->number != number) // no-race alarm(lockset): the job that is taken out is its own
        link = &(*link)->next; // no-race alarm(lockset): an object that was taken out belongs to who took it
    struct job *found = *link; // no-race alarm(lockset): an object that was taken out belongs to who took it
    if (found != NULL)
        *link = found->next; // no-race alarm(lockset): an object that was taken out belongs to who took it
    pthread_mutex_unlock(&lock);
    return found;
}

static void *worker(void *arg) {
    struct job *mine = take(1);
    if (mine != NULL) {
        mine->used++; // no-race alarm(lockset): an object that was taken out belongs to who took it
        free(mine); // no-race alarm(lockset): an object that was taken out belongs to who took it
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    for (int i = 0; i < 3; i++) {
        struct job *job = malloc(sizeof *job);
        if (job == NULL)
            return 1;
        job->number = i;
        job->used = 0;
        job->next = jobs;
        jobs = job;
    }
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
