// A semaphore as a mutex, taken by a checked sem_trywait or by sem_wait.
#include <pthread.h>
#include <semaphore.h>

static sem_t s;
static int value;

static void *worker(void *arg) {
    if (sem_trywait(&s) != 0)
        sem_wait(&s);
    value++;                                    // no-race
    sem_post(&s);
    return arg;
}

int main(void) {
    pthread_t a, b;
    sem_init(&s, 0, 1);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value == 2 ? 0 : 1;                  // no-race
}
