// What is done with a job that was taken out depends on its kind.
#include <pthread.h>
#include <stdlib.h>

struct job {
    struct job *next;
    int kind;
    int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    struct job *mine = jobs;
    jobs = mine != NULL ? mine->next : NULL; // no-race alarm(lockset): what was taken out belongs to who took it
    pthread_mutex_unlock(&lock);
    if (mine == NULL)
        return NULL;
    switch (mine->kind) { // no-race alarm(lockset): an object that was taken out belongs to who took it
    case 0:
        mine->number = 1; // no-race alarm(lockset): an object that was taken out belongs to who took it
        break;
    case 1:
        mine->number++; // no-race alarm(lockset): an object that was taken out belongs to who took it
        break;
    default:
        pthread_exit(mine);
    }
    free(mine); // no-race alarm(lockset): an object that was taken out belongs to who took it
    return NULL;
}

int main(void) {
    pthread_t a, b;
    for (int i = 0; i < 2; i++) {
        struct job *job = calloc(1, sizeof *job);
        if (job == NULL)
            return 1;
        job->kind = i;
        job->next = jobs;
        jobs = job;
    }
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
