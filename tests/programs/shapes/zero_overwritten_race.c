// A new job has no helper, but main, which has kept a pointer to the job, gives it one that it uses itself.
#include <pthread.h>
#include <stdlib.h>

struct job {
    struct job *next;
    struct job *helper;
    int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;
static struct job *table[1];

static void use(struct job *job) {
    if (job != NULL)
        job->number++; // race
}

static void *worker(void *arg) {
    use(calloc(1, sizeof *jobs));
    pthread_mutex_lock(&lock);
    struct job *mine = jobs;
    if (mine != NULL)
        jobs = mine->next;
    pthread_mutex_unlock(&lock);
    if (mine != NULL)
        use(mine->helper);
    return NULL;
}

int main(void) {
    pthread_t a;
    struct job *job = calloc(1, sizeof *job);
    struct job *helper = calloc(1, sizeof *helper);
    if (job == NULL || helper == NULL)
        return 1;
    use(helper);
    table[0] = job;
    jobs = job;
    table[0]->helper = helper;
    pthread_create(&a, NULL, worker, NULL);
    use(helper);
    pthread_join(a, NULL);
    return 0;
}
