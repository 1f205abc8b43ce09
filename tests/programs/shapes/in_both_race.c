// A job is put into the second list without being taken out of the first one.
#include <pthread.h>
#include <stdlib.h>

struct job {
    int number;
    struct job *next;
    struct job *done;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t done_lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;
static struct job *done;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    struct job *mine = jobs;
    if (mine != NULL)
        mine->number++; // race
    pthread_mutex_unlock(&lock);
    if (mine == NULL)
        return NULL;
    pthread_mutex_lock(&done_lock);
    mine->done = done;
    done = mine;
    pthread_mutex_unlock(&done_lock);
    return NULL;
}

int main(void) {
    pthread_t a;
    int sum = 0;
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return 1;
    jobs = job;
    pthread_create(&a, NULL, worker, NULL);
    pthread_mutex_lock(&done_lock);
    struct job *first = done;
    pthread_mutex_unlock(&done_lock);
    pthread_mutex_lock(&lock);
    sum += jobs->number;
    pthread_mutex_unlock(&lock);
    jobs->number = 3; // race
    pthread_join(a, NULL);
    return sum > 3 && first != NULL;
}
