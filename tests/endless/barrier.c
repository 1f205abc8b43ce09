/* Each writes its own cell, then reads the other one, between barriers. Racy: one barrier is missing. */
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
static pthread_barrier_t b;
static int data[2];
static void *worker(void *me) {
    int mine = me != 0;
    ROUNDS {
        data[mine] = 1;
        pthread_barrier_wait(&b);
        int seen = data[!mine];
        IF_RACY(, pthread_barrier_wait(&b);)
        (void)seen;
    }
    return 0;
}
int main(void) {
    pthread_barrier_init(&b, 0, 2);
    pthread_t ids[2];
    pthread_create(&ids[0], 0, worker, 0);
    pthread_create(&ids[1], 0, worker, data);
    pthread_join(ids[0], 0);
    pthread_join(ids[1], 0);
    return 0;
}
