// A checking mutex refuses the thread that has it: what is found then is not taken out.
#include <pthread.h>
#include <stdlib.h>

struct job {
    struct job *next;
    int number;
};

static pthread_mutex_t lock;
static struct job *jobs;

static struct job *take(void) {
    int refused = pthread_mutex_lock(&lock);
    struct job *found = jobs;
    if (found != NULL && refused == 0)
        jobs = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    struct job *mine = take();
    if (mine != NULL)
        mine->number++; // race
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_mutexattr_t checking;
    pthread_mutexattr_init(&checking);
    pthread_mutexattr_settype(&checking, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &checking);
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
