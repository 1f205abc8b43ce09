// Two posts of one thread: after one wait only what came before the first post is there.
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static int x, y;

static void *producer(void *arg) {
    x = 1;                                      // no-race
    sem_post(&ready);
    y = 1;                                      // race
    sem_post(&ready);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, producer, NULL);
    sem_wait(&ready);
    int sum = x;                                // no-race
    sum += y;                                   // race
    pthread_join(t, NULL);
    return sum >= 1 ? 0 : 1;
}
