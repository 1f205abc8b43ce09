// Another thread posts the same semaphore, without having written anything.
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static int data;

static void *producer(void *arg) {
    data = 42;                                  // race
    sem_post(&ready);
    return arg;
}

static void *busybody(void *arg) {
    sem_post(&ready);
    return arg;
}

int main(void) {
    pthread_t a, b;
    sem_init(&ready, 0, 0);
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, busybody, NULL);
    sem_wait(&ready);
    int seen = data;                            // race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen >= 0 ? 0 : 1;
}
