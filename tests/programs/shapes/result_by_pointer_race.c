// The function that takes a job off the stack stores it in a variable that all threads have.
#include <pthread.h>
#include <stdlib.h>

struct job {
    struct job *next;
    int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;

static int take(struct job **result) {
    pthread_mutex_lock(&lock);
    *result = jobs; // race
    if (*result != NULL)
        jobs = (*result)->next;
    pthread_mutex_unlock(&lock);
    return *result != NULL; // race
}

static void *worker(void *arg) {
    static struct job *mine;
    if (take(&mine))
        mine->number++; // race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    for (int i = 0; i < 2; i++) {
        struct job *job = malloc(sizeof *job);
        if (job == NULL)
            return 1;
        job->number = i;
        job->next = jobs;
        jobs = job;
    }
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
