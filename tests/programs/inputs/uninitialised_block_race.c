// A field of a new block that nobody writes decides: its value may be any.
#include <pthread.h>
#include <stdlib.h>

struct job {
    int number, mode;
};

static int shared;

static void *worker(void *arg) {
    shared = 1;                                 // race missed(explore): it reads whatever lies in memory, and says so
    return arg;
}

int main(void) {
    pthread_t t;
    struct job *job = malloc(sizeof *job);
    if (job == NULL)
        return 1;
    job->number = 0;
    pthread_create(&t, NULL, worker, NULL);
    if (job->mode == 7)
        shared = job->number;                   // race missed(explore): it reads whatever lies in memory, and says so
    pthread_join(t, NULL);
    free(job);
    return 0;
}
