// A job is cleared when it was taken out, but not its link, which leads back into the list.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct job {
    long number;
    struct job *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;

static void use(struct job *job) {
    if (job != NULL)
        job->number++; // race
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    struct job *mine = jobs;
    if (mine != NULL)
        jobs = mine->next;
    pthread_mutex_unlock(&lock);
    use(mine);
    if (mine != NULL) {
        memset(mine, 0, sizeof mine->number); // race
        use(mine->next);
    }
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
