// As number_in_argument.c, but each thread counts its number up after use, and uses it again.
#include <pthread.h>

struct job {
    int kind;
    int number;
};

static int results[5];

static void *worker(void *arg) {
    struct job *job = arg;
    results[job->number] += job->kind;          // race
    job->number++;                              // no-race
    results[job->number] += job->kind;          // race
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    struct job jobs[4];
    for (int i = 0; i < 4; i++) {
        jobs[i].kind = 1;
        jobs[i].number = i;
        pthread_create(&threads[i], NULL, worker, &jobs[i]);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
