/* Each job makes another one, until N were made; workers stop when no job is left or being done. */
#include <pthread.h>
#include <semaphore.h>
#ifndef N
#define N 4
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int head, tail = 2, busy, results[N + 2];

static void *worker(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (head == tail && busy > 0) pthread_cond_wait(&changed, &lock);
        if (head == tail) break;
        int job = head++;
        busy++;
        pthread_mutex_unlock(&lock);
#ifdef RACY
        results[job / 2] = job;
#else
        results[job] = job;
#endif
        pthread_mutex_lock(&lock);
        busy--;
        if (tail < N) tail++;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t ids[WORKERS];
    for (int i = 0; i < WORKERS; i++) pthread_create(&ids[i], 0, worker, 0);
    for (int i = 0; i < WORKERS; i++) pthread_join(ids[i], 0);
    return results[0];
}
