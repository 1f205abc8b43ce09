// As number_in_argument.c, but the numbers are set back to zero by a function that is called before each creation.
#include <pthread.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

struct job {
    int kind;
    int number;
};

static int results[4];

static void clear(struct job *job) {
    job->number = 0;
}

static void *worker(void *arg) {
    struct job *job = arg;
    results[job->number] += job->kind;          // race
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    struct job jobs[4];
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 4)
        return 0;
    for (int i = 0; i < n; i++) {
        jobs[i].kind = 1;
        jobs[i].number = i;
        clear(&jobs[i]);
        pthread_create(&threads[i], NULL, worker, &jobs[i]);
    }
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
