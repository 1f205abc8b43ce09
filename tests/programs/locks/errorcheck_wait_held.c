// The wait of a thread that holds its error-checking mutex comes back with it.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int x;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    x = 1;                                      // no-race
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&changed, &lock);
    x = 2;                                      // no-race
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
