// A bounded buffer with two counting semaphores, one producer and one consumer.
#include <pthread.h>
#include <semaphore.h>

#define SIZE 3
static sem_t slots, items;
static int buffer[SIZE];

static void *producer(void *arg) {
    for (int i = 0; i < 12; i++) {
        sem_wait(&slots);
        buffer[i % SIZE] = i;                   // no-race alarm(lockset): the count keeps the two on different slots; alarm(explore): too many orders
        sem_post(&items);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    int sum = 0;
    sem_init(&slots, 0, SIZE);
    sem_init(&items, 0, 0);
    pthread_create(&t, NULL, producer, NULL);
    for (int i = 0; i < 12; i++) {
        sem_wait(&items);
        sum += buffer[i % SIZE];                // no-race alarm(lockset): the count keeps the two on different slots
        sem_post(&slots);
    }
    pthread_join(t, NULL);
    return sum == 66 ? 0 : 1;
}
