// Readers and writers by two semaphores: the first reader keeps writers out, the last one lets them in again.
#include <pthread.h>
#include <semaphore.h>

static sem_t counting, writing;
static int readers, value;

static void *reader(void *arg) {
    sem_wait(&counting);
    readers++;              // no-race
    if (readers == 1)       // no-race
        sem_wait(&writing);
    sem_post(&counting);
    int seen = value;       // no-race alarm(lockset): another thread posts
    sem_wait(&counting);
    readers--;              // no-race
    if (readers == 0)       // no-race
        sem_post(&writing);
    sem_post(&counting);
    return seen ? arg : NULL;
}

static void *writer(void *arg) {
    sem_wait(&writing);
    value++;                // no-race alarm(lockset): another thread posts
    sem_post(&writing);
    return arg;
}

int main(void) {
    pthread_t ids[3];
    sem_init(&counting, 0, 1);
    sem_init(&writing, 0, 1);
    pthread_create(&ids[0], NULL, reader, NULL);
    pthread_create(&ids[1], NULL, reader, NULL);
    pthread_create(&ids[2], NULL, writer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(ids[i], NULL);
    return 0;
}
