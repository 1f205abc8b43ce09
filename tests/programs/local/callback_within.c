// What an unknown function is given it calls while it is called, or another one is, in that thread.
#include <pthread.h>

struct job { int size; };
void each(void (*visit)(struct job *, int), struct job *jobs) __attribute__((weak));
void step(void) __attribute__((weak));

static int total, unrelated;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(struct job *job, int number) {
    (void)number;
    total += job->size;                         // no-race alarm(explore): `each` is defined nowhere
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    unrelated++;                                // no-race
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    struct job jobs[3] = {{1}, {2}, {3}};
    each(add, jobs);
    pthread_create(&t, NULL, worker, NULL);
    total++;                                    // no-race
    pthread_mutex_lock(&lock);
    unrelated++;                                // no-race
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    step();
    return total;                               // no-race
}
