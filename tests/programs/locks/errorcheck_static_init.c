// An error-checking mutex refuses what is wrong: a second lock of the owner, an unlock by another thread.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static int value;

static void *worker(void *arg) {
    pthread_mutex_unlock(&lock);
    if (pthread_mutex_lock(&lock) == 0) {
        if (pthread_mutex_lock(&lock) == EDEADLK)
            value++;                            // no-race
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value == 2 ? 0 : 1;                  // no-race
}
