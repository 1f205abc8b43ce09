/* Workers take N jobs out of a queue; a condition is signalled for each. */
#include <pthread.h>
#include <semaphore.h>
#ifndef N
#define N 4
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int queue[N], head, tail, done, results[N + 1];
#ifdef RACY
#define SLOT(job) ((job) == N - 1 ? (job) - 1 : (job)) /* outside its slot */
#else
#define SLOT(job) (job)
#endif

static void *worker(void *unused) {
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (head == tail && !done) pthread_cond_wait(&filled, &lock);
        if (head == tail) {
            pthread_mutex_unlock(&lock);
            return 0;
        }
        int job = queue[head++];
        pthread_mutex_unlock(&lock);
        results[SLOT(job)] = job;
    }
}

int main(void) {
    pthread_t ids[WORKERS];
    for (int i = 0; i < WORKERS; i++) pthread_create(&ids[i], 0, worker, 0);
    for (int job = 0; job < N; job++) {
        pthread_mutex_lock(&lock);
        queue[tail++] = job;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WORKERS; i++) pthread_join(ids[i], 0);
    return results[0];
}
