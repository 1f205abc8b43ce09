// Who does not get the lock takes a job all the same.
#include <pthread.h>
#include <stdlib.h>

struct job {
    struct job *next;
    int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;

static struct job *take(void) {
    int is_locked = pthread_mutex_trylock(&lock) == 0;
    struct job *mine = jobs; // race
    if (mine != NULL)
        jobs = mine->next; // race
    if (is_locked)
        pthread_mutex_unlock(&lock);
    return mine;
}

static void *worker(void *arg) {
    struct job *mine = take();
    if (mine != NULL)
        mine->number++; // race

    return NULL;
}

int main(void) {
    pthread_t a, b;
    for (int i = 0; i < 2; i++) {
        struct job *job = calloc(1, sizeof *job);
        if (job == NULL)
            return 1;
        job->next = jobs;
        jobs = job;
    }
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
