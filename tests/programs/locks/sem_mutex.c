// A semaphore that starts at one, used as a mutex.
#include <pthread.h>
#include <semaphore.h>

static sem_t s;
static int value;

static void *worker(void *arg) {
    for (int i = 0; i < 10; i++) {
        sem_wait(&s);
        value++;                                // no-race alarm(explore): more orders than the limit
        sem_post(&s);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    sem_init(&s, 0, 1);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value == 20 ? 0 : 1;                 // no-race
}
