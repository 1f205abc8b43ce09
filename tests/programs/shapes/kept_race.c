// Main keeps a pointer to each job in a table, and looks at them there.
#include <pthread.h>
#include <stdlib.h>

struct job {
    struct job *next;
    int number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *jobs;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    struct job *mine = jobs;
    if (mine != NULL)
        jobs = mine->next;
    pthread_mutex_unlock(&lock);
    if (mine != NULL)
        mine->number++; // race
    return NULL;
}

int main(void) {
    pthread_t a;
    struct job *table[2];
    for (int i = 0; i < 2; i++) {
        struct job *job = malloc(sizeof *job);
        if (job == NULL)
            return 1;
        job->number = i;
        job->next = jobs;
        jobs = job;
        table[i] = job;
    }
    pthread_create(&a, NULL, worker, NULL);
    int sum = 0;
    for (int i = 0; i < 2; i++)
        sum += table[i]->number; // race
    pthread_join(a, NULL);
    return sum;
}
