// A cleaner counts threads out without looking whether it could join them.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, result_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_t ids[2];
static int running, result;

static void *worker(void *arg) {
    pthread_mutex_lock(&result_lock);
    result += 2;                                // race
    pthread_mutex_unlock(&result_lock);
    return arg;
}

static void *cleaner(void *arg) {
    for (int i = 0; i < 2; i++) {
        pthread_tryjoin_np(ids[i], NULL);
        pthread_mutex_lock(&m);
        running--;                              // no-race
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void) {
    pthread_t c;
    for (int i = 0; i < 2; i++) {
        pthread_create(&ids[i], NULL, worker, NULL);
        pthread_mutex_lock(&m);
        running++;                              // no-race
        pthread_mutex_unlock(&m);
    }
    pthread_create(&c, NULL, cleaner, NULL);
    pthread_mutex_lock(&m);
    while (running != 0)                        // no-race
        pthread_cond_wait(&changed, &m);
    pthread_mutex_unlock(&m);
    return result > 4;                          // race
}
