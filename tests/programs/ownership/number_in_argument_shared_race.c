// As number_in_argument.c, but all threads are given the same element, one after the other.
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
    results[job->number] += job->kind;          // race
    return NULL;
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 5)
        return 0;
    results = calloc(n, sizeof *results);
    pthread_t *threads = malloc(n * sizeof *threads);
    struct job *jobs = malloc(n * sizeof *jobs);
    for (int i = 0; i < n; i++) {
        jobs[0].kind = n;                       // race
        jobs[0].number = i;                     // race
        pthread_create(&threads[i], NULL, worker, &jobs[0]);
    }
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return results[0];                          // no-race
}
