// The lock is given back through a pointer in a table, while the job is still in the list.
#include <pthread.h>
#include <stdlib.h>

struct job {
    struct job *next;
    int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *table[2] = {&lock, &other};
static struct job *jobs;

static void *worker(void *arg) {
    int which = arg == NULL ? 0 : 1;
    pthread_mutex_lock(&lock);
    struct job *seen = jobs;
    pthread_mutex_unlock(table[which]);
    if (seen != NULL)
        seen->number++; // race
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
