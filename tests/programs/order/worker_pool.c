// A pool of workers takes jobs from a queue and adds up results, queue and sum under one mutex.
#include <pthread.h>
#include <stdlib.h>

struct job {
    int number;
    struct job *next;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t available = PTHREAD_COND_INITIALIZER;
static struct job *queue;
static int closed, sum;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    for (;;) {
        while (queue == NULL && !closed)        // no-race
            pthread_cond_wait(&available, &m);
        if (queue == NULL)                      // no-race
            break;
        struct job *j = queue;                  // no-race
        queue = j->next;                        // no-race
        sum += j->number;                       // no-race
        free(j);                                // no-race
    }
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 1; i <= 6; i++) {
        struct job *j = malloc(sizeof *j);
        j->number = i;                          // no-race
        pthread_mutex_lock(&m);
        j->next = queue;                        // no-race
        queue = j;                              // no-race
        pthread_cond_signal(&available);
        pthread_mutex_unlock(&m);
    }
    pthread_mutex_lock(&m);
    closed = 1;                                 // no-race
    pthread_cond_broadcast(&available);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return sum == 21 ? 0 : 1;                   // no-race
}
