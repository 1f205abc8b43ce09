// A loop takes all units of a semaphore that is used for nothing else: it comes to an end and has waited for nobody.
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t units;
static int total;

static void *worker(void *arg) {
    total++;                                    // race
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&units, 0, 2);
    pthread_create(&t, NULL, worker, NULL);
    while (sem_trywait(&units) == 0)
        ;
    total++;                                    // race
    pthread_join(t, NULL);
    return 0;
}
