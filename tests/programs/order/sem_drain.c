// A loop takes all units of a semaphore, behind the join of the thread that has posted them.
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t units;
static int total;

static void *worker(void *arg) {
    total++;                                    // no-race
    sem_post(&units);
    sem_post(&units);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&units, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    while (sem_trywait(&units) == 0)
        ;
    total++;                                    // no-race
    return 0;
}
