// A semaphore for each cell, made in a loop: one of them lets two threads in.
#include <pthread.h>
#include <semaphore.h>

#define N 2
static sem_t is_free[N];
static int cell[N];

static void add(long i) {
    sem_wait(&is_free[i]);
    cell[i]++;                                  // race
    sem_post(&is_free[i]);
}

static void *worker(void *arg) {
    add((long)arg);
    add(1 - (long)arg);
    return arg;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        sem_init(&is_free[i], 0, i + 1);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
