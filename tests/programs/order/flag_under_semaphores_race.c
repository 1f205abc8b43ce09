// Both threads touch the flag under a semaphore, each under one of its own: the flag tells, but orders nothing.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t own[2];
static atomic_int flag;
static int data;

static void *worker(void *arg) {
    long me = (long)arg;
    int seen = 0;
    if (me == 0)
        data = 1;                               // race
    sem_wait(&own[me]);
    if (me == 0)
        atomic_store_explicit(&flag, 1, memory_order_relaxed);
    else
        seen = atomic_load_explicit(&flag, memory_order_relaxed);
    sem_post(&own[me]);
    if (seen == 1)
        data = 2;                               // race
    return NULL;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        sem_init(&own[i], 0, 1);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
