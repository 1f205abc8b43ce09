/* A slot that two semaphores guard. Racy: it counts as empty twice. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#ifdef ENDLESS
#define ROUNDS for (;;)
#else
#define ROUNDS for (int round = 0; round < 2; round++)
#endif
#ifdef RACY
#define IF_RACY(a, b) a
#else
#define IF_RACY(a, b) b
#endif
static sem_t empty, full;
static int slot, seen;
static void *producer(void *unused) {
    ROUNDS {
        sem_wait(&empty);
        slot = 1;
        sem_post(&full);
    }
    return unused;
}
static void *consumer(void *unused) {
    ROUNDS {
        sem_wait(&full);
        seen = slot;
        sem_post(&empty);
    }
    return unused;
}
int main(void) {
    sem_init(&empty, 0, IF_RACY(2, 1));
    sem_init(&full, 0, 0);
    pthread_t ids[2];
    pthread_create(&ids[0], 0, producer, 0);
    pthread_create(&ids[1], 0, consumer, 0);
    pthread_join(ids[0], 0);
    pthread_join(ids[1], 0);
    return 0;
}
