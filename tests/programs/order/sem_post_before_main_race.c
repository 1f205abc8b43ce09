// A semaphore is posted before main begins, and again when what main writes is there.
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static int data;

__attribute__((constructor)) static void begin(void) {
    sem_init(&ready, 0, 0);
    sem_post(&ready);
}

static void *reader(void *arg) {
    sem_wait(&ready);
    return data == 0 ? NULL : arg;              // race
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    data = 1;                                   // race
    sem_post(&ready);
    pthread_join(t, NULL);
    return 0;
}
