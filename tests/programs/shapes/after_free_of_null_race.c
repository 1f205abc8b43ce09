// Nothing is freed, and then a job is used that is still in the list.
#include <pthread.h>
#include <stdlib.h>

struct job {
    struct job *next;
    int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;
static struct job *spare;

static void use(struct job *job) {
    if (job != NULL)
        job->number++; // race
}

static void *worker(void *arg) {
    use(calloc(1, sizeof *jobs));
    pthread_mutex_lock(&lock);
    struct job *seen = jobs;
    struct job *nothing = spare;
    spare = NULL;
    pthread_mutex_unlock(&lock);
    free(nothing);
    use(seen);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return 1;
    jobs = job;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
