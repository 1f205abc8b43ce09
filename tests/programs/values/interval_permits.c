// A semaphore made of a counter under a lock, with one permit; who gets none turns back.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int permits = 1;
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
    data++;                                     // no-race alarm(lockset): there is one permit
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
