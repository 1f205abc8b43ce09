// A semaphore used as a mutex, but main posts once too often and the count reaches two.
#include <pthread.h>
#include <semaphore.h>

static sem_t s;
static int value;

static void *worker(void *arg) {
    for (int i = 0; i < 50; i++) {
        sem_wait(&s);
        value++;                                // race
        sem_post(&s);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    sem_init(&s, 0, 1);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    sem_post(&s);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value <= 100 ? 0 : 1;                // no-race
}
