/* A token goes round among three. Racy: there are two of them. */
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
static sem_t has[3];
static int data;
static void work(int me) {
    sem_wait(&has[me]);
    data = me;
    sem_post(&has[(me + 1) % 3]);
}
static void *zero(void *unused) {
    ROUNDS work(0);
    return unused;
}
static void *one(void *unused) {
    ROUNDS work(1);
    return unused;
}
static void *two(void *unused) {
    ROUNDS work(2);
    return unused;
}
int main(void) {
    sem_init(&has[0], 0, 1);
    sem_init(&has[1], 0, IF_RACY(1, 0));
    sem_init(&has[2], 0, 0);
    pthread_t ids[3];
    pthread_create(&ids[0], 0, zero, 0);
    pthread_create(&ids[1], 0, one, 0);
    pthread_create(&ids[2], 0, two, 0);
    pthread_join(ids[0], 0);
    pthread_join(ids[1], 0);
    pthread_join(ids[2], 0);
    return 0;
}
