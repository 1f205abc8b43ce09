// as many posts as waits, or one less: no-deadlock, proved by explore
#include <pthread.h>
#include <semaphore.h>

static sem_t s;

static void *waiter(void *p) {
    sem_wait(&s); // no-deadlock
    sem_wait(&s); // no-deadlock
    return p;
}

static void *poster(void *p) {
    sem_post(&s);
    sem_post(&s);
    return p;
}

int main(void) {
    pthread_t t, u;
    sem_init(&s, 0, 0);
    pthread_create(&t, 0, waiter, 0);
    pthread_create(&u, 0, poster, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
