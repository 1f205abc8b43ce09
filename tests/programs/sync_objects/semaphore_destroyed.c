// A semaphore is destroyed when its only post was waited for.
#include <pthread.h>
#include <semaphore.h>

static sem_t done;

static void *worker(void *arg) {
    sem_post(&done);                            // no-race
    return arg;
}

int main(void) {
    pthread_t thread;
    sem_init(&done, 0, 0);                      // no-race
    pthread_create(&thread, NULL, worker, NULL);
    sem_wait(&done);                            // no-race
    sem_destroy(&done);                         // no-race
    pthread_join(thread, NULL);
    return 0;
}
