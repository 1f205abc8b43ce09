/* Each thread has an element of the array for itself. */
#include <pthread.h>

struct job {
    pthread_t thread;
    int input, output;
};

static struct job jobs[3];

static void *run(void *argument)
{
    struct job *job = argument;
    job->output = job->input * 2;
    return NULL;
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        jobs[i].input = i;
        pthread_create(&jobs[i].thread, NULL, run, &jobs[i]);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(jobs[i].thread, NULL);
        sum += jobs[i].output;
    }
    return sum;
}
