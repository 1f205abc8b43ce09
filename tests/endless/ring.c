/* Numbers through a ring of two cells. Racy: the ring has room for three. */
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
static int ring[2];
static void *producer(void *unused) {
    int at = 0;
    ROUNDS {
        sem_wait(&empty);
        ring[at] = at;
        at = !at;
        sem_post(&full);
    }
    return unused;
}
static void *consumer(void *unused) {
    int at = 0, sum = 0;
    ROUNDS {
        sem_wait(&full);
        sum = ring[at];
        at = !at;
        sem_post(&empty);
    }
    (void)sum;
    return unused;
}
int main(void) {
    sem_init(&empty, 0, 2);
    sem_init(&full, 0, IF_RACY(1, 0));
    pthread_t ids[2];
    pthread_create(&ids[0], 0, producer, 0);
    pthread_create(&ids[1], 0, consumer, 0);
    pthread_join(ids[0], 0);
    pthread_join(ids[1], 0);
    return 0;
}
