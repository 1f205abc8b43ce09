// one condition for two kinds of waiters, with broadcasts or with signals: deadlock
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int full;

static void put(void) {
    pthread_mutex_lock(&m);
    while (full)
        pthread_cond_wait(&c, &m); // deadlock
    full = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
}

static void *producer(void *p) {
    put();
    return p;
}

static void *consumer(void *p) {
    pthread_mutex_lock(&m);
    while (!full)
        pthread_cond_wait(&c, &m); // deadlock
    full = 0;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return p;
}

int main(void) {
    pthread_t producers[2], consumers[2];
    for (int i = 0; i < 2; i++) {
        pthread_create(&producers[i], 0, producer, 0);
        pthread_create(&consumers[i], 0, consumer, 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(producers[i], 0);
        pthread_join(consumers[i], 0);
    }
    return 0;
}
