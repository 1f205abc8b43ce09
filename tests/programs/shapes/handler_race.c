// A signal handler looks at the job that somebody may be working on.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct job {
    struct job *next;
    int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;
static struct job *last;

static void on_signal(int number) {
    if (last != NULL)
        last->number = number; // race missed(explore): signals are not sent at any time
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    struct job *mine = jobs;
    if (mine != NULL)
        jobs = mine->next;
    pthread_mutex_unlock(&lock);
    if (mine != NULL)
        mine->number++; // race missed(explore): signals are not sent at any time
    return NULL;
}

int main(void) {
    pthread_t a;
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return 1;
    jobs = job;
    last = job;
    signal(SIGUSR1, on_signal);
    pthread_create(&a, NULL, worker, NULL);
    pthread_join(a, NULL);
    return 0;
}
