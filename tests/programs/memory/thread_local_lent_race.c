// A thread lends the address of its own variable to main, and both write.
#include <pthread.h>
#include <semaphore.h>

static _Thread_local int own;
static int *lent;
static sem_t ready, done;

static void *worker(void *arg) {
    lent = &own;                                // no-race
    sem_post(&ready);
    own++;                                      // race
    sem_wait(&done);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&ready, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    sem_wait(&ready);
    ++*lent;                                    // race
    sem_post(&done);
    pthread_join(t, NULL);
    return 0;
}
