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

static void use(struct job *job) {
    if (job != NULL)
        job->number++; // race
}

static void take(struct job **result) {
    *result = jobs;
    if (*result != NULL)
        jobs = (*result)->next;
}

static void *giver(void *arg) {
    struct job *job = calloc(1, sizeof *job);
    pthread_mutex_lock(&lock);
    if (where != NULL)
        *where = job;
    pthread_mutex_unlock(&lock);
    use(job);
    return NULL;
}

int main(void) {
    pthread_t a;
    struct job *mine = NULL;
    use(calloc(1, sizeof *jobs));
    pthread_create(&a, NULL, giver, NULL);
    pthread_mutex_lock(&lock);
    take(&mine);
    where = &mine;
    mine = NULL;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    struct job *found = mine;
    where = NULL;
    pthread_mutex_unlock(&lock);
    use(found);
    pthread_join(a, NULL);
    return 0;
}
