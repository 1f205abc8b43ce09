// The post comes before the write.
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static int data;

static void *producer(void *arg) {
    sem_post(&ready);
    data = 42;                                  // race
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, producer, NULL);
    sem_wait(&ready);
    int seen = data;                            // race
    pthread_join(t, NULL);
    return seen >= 0 ? 0 : 1;
}
