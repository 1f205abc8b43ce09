// A signal handler puts a job back into the list, whoever may be working on it.
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
    jobs = last; // race missed(explore): signals are not sent at any time
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    struct job *mine = jobs; // race missed(explore): signals are not sent at any time
    if (mine != NULL)
        jobs = mine->next; // race missed(explore): signals are not sent at any time
    pthread_mutex_unlock(&lock);
    if (mine != NULL)
        mine->number++; // race missed(explore): signals are not sent at any time
    return NULL;
}

int main(void) {
    pthread_t a, b;
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return 1;
    pthread_mutex_lock(&lock);
    jobs = job;
    pthread_mutex_unlock(&lock);
    last = job;
    signal(SIGUSR1, on_signal);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
