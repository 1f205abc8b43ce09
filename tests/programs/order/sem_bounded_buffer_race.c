// More slots are promised by the semaphore than the buffer has.
#include <pthread.h>
#include <semaphore.h>

#define SIZE 3
static sem_t slots, items;
static int buffer[SIZE];

static void *producer(void *arg) {
    for (int i = 0; i < 60; i++) {
        sem_wait(&slots);
        buffer[i % SIZE] = i;                   // race
        sem_post(&items);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    int sum = 0;
    sem_init(&slots, 0, SIZE + 1);
    sem_init(&items, 0, 0);
    pthread_create(&t, NULL, producer, NULL);
    for (int i = 0; i < 60; i++) {
        sem_wait(&items);
        sum += buffer[i % SIZE];                // race
        sem_post(&slots);
    }
    pthread_join(t, NULL);
    return sum > 0 ? 0 : 1;
}
