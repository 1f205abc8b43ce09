/* Workers take N jobs out of a queue; a semaphore counts them. */
#include <pthread.h>
#include <semaphore.h>
#ifndef N
#define N 4
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t filled;
static int head, results[N];

static void *worker(void *unused) {
    (void)unused;
    for (;;) {
        sem_wait(&filled);
#ifdef RACY /* a job may be taken twice */
        int job = head;
        pthread_mutex_lock(&lock);
        head = job + 1;
#else
        pthread_mutex_lock(&lock);
        int job = head++;
#endif
        pthread_mutex_unlock(&lock);
        if (job >= N) return 0;
        results[job] = job;
    }
}

int main(void) {
    pthread_t ids[WORKERS];
    sem_init(&filled, 0, 0);
    for (int i = 0; i < WORKERS; i++) pthread_create(&ids[i], 0, worker, 0);
    for (int job = 0; job < N + WORKERS; job++) sem_post(&filled);
    for (int i = 0; i < WORKERS; i++) pthread_join(ids[i], 0);
    return results[0];
}
