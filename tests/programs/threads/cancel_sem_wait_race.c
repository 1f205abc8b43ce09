// The thread may pass the semaphore before it is cancelled.
#include <pthread.h>
#include <semaphore.h>

static sem_t open;
static int value;

static void *worker(void *arg) {
    sem_wait(&open);
    value++;                                    // race
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&open, 0, 1);
    pthread_create(&t, NULL, worker, NULL);
    pthread_cancel(t);
    value++;                                    // race
    pthread_join(t, NULL);
    return value >= 1 ? 0 : 1;                  // no-race
}
