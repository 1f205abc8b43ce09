/* What comes from outside decides who works next. Racy: one of the commands lets both. */
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
extern _Bool __VERIFIER_nondet_bool(void);
static sem_t left, right, done;
static int data;
static void *first(void *unused) {
    ROUNDS {
        sem_wait(&left);
        data = !data;
        sem_post(&done);
    }
    return unused;
}
static void *second(void *unused) {
    ROUNDS {
        sem_wait(&right);
        data = !data;
        sem_post(&done);
    }
    return unused;
}
static void command(void) {
    sem_post(__VERIFIER_nondet_bool() ? &left : &right);
    IF_RACY(sem_post(&left);, )
    sem_wait(&done);
    IF_RACY(sem_wait(&done);, )
}
int main(void) {
    pthread_t ids[2];
    sem_init(&left, 0, 0);
    sem_init(&right, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&ids[0], 0, first, 0);
    pthread_create(&ids[1], 0, second, 0);
    ROUNDS command();
    return 0;
}
