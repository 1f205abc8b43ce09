// All fields of a new block are written before they are read.
#include <pthread.h>
#include <stdlib.h>

struct job {
    int number, mode;
};

static int shared;

static void *worker(void *arg) {
    shared = 1;                                 // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    struct job *job = malloc(sizeof *job);
    if (job == NULL)
        return 1;
    job->number = 0;
    job->mode = 0;
    pthread_create(&t, NULL, worker, NULL);
    if (job->mode == 7)
        shared = job->number;                   // no-race
    pthread_join(t, NULL);
    free(job);
    return 0;
}
