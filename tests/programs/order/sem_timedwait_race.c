// sem_timedwait gives up, and the data is read on that branch too.
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t ready;
static int data;

static void *producer(void *arg) {
    data = 42;                                  // race
    sem_post(&ready);
    return arg;
}

int main(void) {
    pthread_t t;
    struct timespec until = {0, 0};
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, producer, NULL);
    sem_timedwait(&ready, &until);
    int seen = data;                            // race
    pthread_join(t, NULL);
    return seen >= 0 ? 0 : 1;
}
