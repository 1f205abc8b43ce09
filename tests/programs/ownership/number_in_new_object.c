// Each thread finds its number in a new object that it was given.
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
    for (int i = 0; i < n; i++) {
        struct job *job = malloc(sizeof *job);
        job->kind = 1;
        job->number = n - i - 1;
        pthread_create(&threads[i], NULL, worker, job);
    }
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return results[0];                          // no-race
}
