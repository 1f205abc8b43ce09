// A thread detaches itself and says too early that it is done.
#include <pthread.h>
#include <semaphore.h>

static sem_t done;
static int value;

static void *worker(void *arg) {
    pthread_detach(pthread_self());
    sem_post(&done);
    value = 1;                                  // race
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&done, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    sem_wait(&done);
    return value >= 0 ? 0 : 1;                  // race
}
