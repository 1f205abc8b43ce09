// An error-checking mutex refuses the wait of a thread that does not hold it: nothing is locked behind.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int x;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    x = 1;                                      // race
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_cond_wait(&changed, &lock);         // EPERM
    x = 2;                                      // race
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
