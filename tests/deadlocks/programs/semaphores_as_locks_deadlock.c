// two semaphores of value 1, in the same order or in opposite orders: deadlock
#include <pthread.h>
#include <semaphore.h>

static sem_t a, b;

static void *first(void *p) {
    sem_wait(&a);
    sem_wait(&b); // deadlock
    sem_post(&b);
    sem_post(&a);
    return p;
}

static void *second(void *p) {
    sem_wait(&b);
    sem_wait(&a); // deadlock
    sem_post(&a);
    sem_post(&b);
    return p;
}

int main(void) {
    pthread_t t, u;
    sem_init(&a, 0, 1);
    sem_init(&b, 0, 1);
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
