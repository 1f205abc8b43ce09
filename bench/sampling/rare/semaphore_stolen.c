/* A semaphore that the wrong one may take. */
#include <pthread.h>
#include <stdlib.h>
#include <semaphore.h>

static sem_t s;
static int data;

static void *first(void *unused) {
    (void)unused;
    data = 1; // race
    sem_post(&s);
    if (sem_trywait(&s) != 0) data = 2; // race
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    if (sem_trywait(&s) == 0) data++; // race
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
