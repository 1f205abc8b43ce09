// Main touches the handed-over object between create and join.
#include <pthread.h>

struct job {
    int input, output;
};

static void *worker(void *arg) {
    struct job *j = arg;
    j->output = j->input + 1;                   // race
    return NULL;
}

int main(void) {
    pthread_t t;
    struct job job;
    job.input = 1;                              // no-race
    job.output = 0;                             // no-race
    pthread_create(&t, NULL, worker, &job);
    int early = job.output;                     // race
    pthread_join(t, NULL);
    return job.output + early >= 2 ? 0 : 1;     // no-race
}
