// The variable that the job was stored in is in reach of another thread, which stores there what it has itself.
#include <pthread.h>
#include <stdlib.h>

struct job {
    struct job *next;
    int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;
static struct job **where;

static void take(struct job **result) {
    *result = jobs;
    if (*result != NULL)
        jobs = (*result)->next;
}

static void *giver(void *arg) {
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return NULL;
    pthread_mutex_lock(&lock);
    if (where != NULL)
        *where = job;
    pthread_mutex_unlock(&lock);
    job->number++; // race
    return NULL;
}

int main(void) {
    pthread_t a;
    struct job *mine = NULL;
    pthread_create(&a, NULL, giver, NULL);
    pthread_mutex_lock(&lock);
    take(&mine);
    where = &mine;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    struct job *found = mine;
    where = NULL;
    pthread_mutex_unlock(&lock);
    if (found != NULL)
        found->number++; // race
    pthread_join(a, NULL);
    return 0;
}
