// A semaphore made of a counter under a lock, with two permits.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int permits = 2;
static int data;

static int obtain(void) {
    int got = 0;
    pthread_mutex_lock(&m);
    if (permits > 0) {
        permits--;
        got = 1;
    }
    pthread_mutex_unlock(&m);
    return got;
}

static void *worker(void *arg) {
    if (!obtain())
        return arg;
    data++;                                     // race
    pthread_mutex_lock(&m);
    permits++;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return data >= 1 ? 0 : 1;                   // no-race
}
