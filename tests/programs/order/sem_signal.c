// A semaphore that starts at zero: written before the post, read after the wait.
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static int data;

static void *producer(void *arg) {
    data = 42;                                  // no-race
    sem_post(&ready);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, producer, NULL);
    sem_wait(&ready);
    int seen = data;                            // no-race
    pthread_join(t, NULL);
    return seen == 42 ? 0 : 1;
}
