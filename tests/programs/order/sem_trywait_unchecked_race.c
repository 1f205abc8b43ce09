// sem_trywait fails at once when nothing was posted, and the read goes on.
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static int data;

static void *producer(void *arg) {
    data = 42;                                  // race
    sem_post(&ready);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, producer, NULL);
    sem_trywait(&ready);
    int seen = data;                            // race
    pthread_join(t, NULL);
    return seen >= 0 ? 0 : 1;
}
