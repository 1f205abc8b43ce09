// A thread detaches itself and says with a semaphore that it is done.
#include <pthread.h>
#include <semaphore.h>

static sem_t done;
static int value;

static void *worker(void *arg) {
    pthread_detach(pthread_self());
    value = 1;                                  // no-race
    sem_post(&done);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&done, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    sem_wait(&done);
    return value == 1 ? 0 : 1;                  // no-race
}
