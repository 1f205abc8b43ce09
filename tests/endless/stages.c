/* Numbers go through three stages. Racy: the middle one gives its input back too early. */
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
static sem_t in_empty, in_full, out_empty, out_full;
static int in, out, last;
static void *first(void *unused) {
    ROUNDS {
        sem_wait(&in_empty);
        in = !in;
        sem_post(&in_full);
    }
    return unused;
}
static void *middle(void *unused) {
    ROUNDS {
        sem_wait(&in_full);
        IF_RACY(sem_post(&in_empty);, )
        int value = in;
        IF_RACY(, sem_post(&in_empty);)
        sem_wait(&out_empty);
        out = value;
        sem_post(&out_full);
    }
    return unused;
}
static void *third(void *unused) {
    ROUNDS {
        sem_wait(&out_full);
        last = out;
        sem_post(&out_empty);
    }
    return unused;
}
int main(void) {
    sem_init(&in_empty, 0, 1);
    sem_init(&in_full, 0, 0);
    sem_init(&out_empty, 0, 1);
    sem_init(&out_full, 0, 0);
    pthread_t ids[3];
    pthread_create(&ids[0], 0, first, 0);
    pthread_create(&ids[1], 0, middle, 0);
    pthread_create(&ids[2], 0, third, 0);
    pthread_join(ids[0], 0);
    pthread_join(ids[1], 0);
    pthread_join(ids[2], 0);
    return 0;
}
