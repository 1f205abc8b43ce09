/* N items go through a buffer with two places. */
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
static int buffer[2], put, taken;

static void *producer(void *unused) {
    (void)unused;
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
        while (put - taken == 2) pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
        buffer[put % 2] = i;
        pthread_mutex_lock(&lock);
        put++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

static void *consumer(void *unused) {
    int sum = 0;
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
#ifndef RACY
        while (put == taken) pthread_cond_wait(&changed, &lock);
#endif
        pthread_mutex_unlock(&lock);
        sum += buffer[i % 2];
        pthread_mutex_lock(&lock);
        taken++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
