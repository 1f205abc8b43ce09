// Each thread finds its number in an element that it was given; nobody knows how many there are.
#include <pthread.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

struct job {
    int kind;
    int number;
};

static int *results;

static void *worker(void *arg) {
    struct job *job = arg;
    results[job->number] += job->kind;          // no-race alarm(explore): any number of threads
    return NULL;
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000)
        return 0;
    results = calloc(n, sizeof *results);
    pthread_t *threads = malloc(n * sizeof *threads);
    struct job *jobs = malloc(n * sizeof *jobs);
    for (int i = 0; i < n; i++) {
        jobs[i].kind = n;
        jobs[i].number = i;
        pthread_create(&threads[i], NULL, worker, &jobs[i]);
    }
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return results[0];                          // no-race
}
