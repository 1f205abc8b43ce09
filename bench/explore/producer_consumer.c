// Each of PRODUCERS hands ITEMS over to CONSUMERS through one slot, with a mutex and two condition variables.
#include <pthread.h>

#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef ITEMS
#define ITEMS 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int slot, full, sum;

static void *producer(void *arg) {
    for (int i = 1; i <= ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (full)
            pthread_cond_wait(&not_full, &lock);
        slot = i;
        full = 1;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *consumer(void *arg) {
    for (int i = 1; i <= ITEMS * PRODUCERS / CONSUMERS; i++) {
        pthread_mutex_lock(&lock);
        while (!full)
            pthread_cond_wait(&not_empty, &lock);
        sum += slot;
        full = 0;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t threads[PRODUCERS + CONSUMERS];
    for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
        pthread_create(&threads[i], NULL, i < PRODUCERS ? producer : consumer, NULL);
    for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
        pthread_join(threads[i], NULL);
    return sum > 0 ? 0 : 1;
}
