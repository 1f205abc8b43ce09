/* A pool of workers is shut down and started again; each time it has N jobs. */
#include <pthread.h>
#include <semaphore.h>
#ifndef N
#define N 4
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int head, results[N];

static void *worker(void *unused) {
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&lock);
        int job = head < N ? head++ : -1;
        pthread_mutex_unlock(&lock);
        if (job < 0) return 0;
        results[job]++;
    }
}

int main(void) {
    pthread_t ids[WORKERS];
    for (int round = 0; round < 2; round++) {
        head = 0;
        for (int i = 0; i < WORKERS; i++) pthread_create(&ids[i], 0, worker, 0);
        for (int i = 0; i < WORKERS; i++)
#ifdef RACY
            if (round == 1 || i == 0)
#endif
                pthread_join(ids[i], 0);
    }
    return results[0];
}
