// A semaphore is destroyed although only one of two posts was waited for.
#include <pthread.h>
#include <semaphore.h>

static sem_t done;

static void *worker(void *arg) {
    sem_post(&done);                            // race
    return arg;
}

int main(void) {
    pthread_t first, second;
    sem_init(&done, 0, 0);                      // no-race
    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, worker, NULL);
    sem_wait(&done);                            // no-race
    sem_destroy(&done);                         // race
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
