// An unlock that an error-checking mutex refuses gives no right to the access.
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;
static int value;

static void *worker(void *arg) {
    if (pthread_mutex_unlock(&lock) == EPERM)
        value++;                                // race
    return arg;
}

int main(void) {
    pthread_mutexattr_t attr;
    pthread_t t;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &attr);
    pthread_mutex_lock(&lock);
    pthread_create(&t, NULL, worker, NULL);
    value++;                                    // race
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return value >= 1 ? 0 : 1;                  // no-race
}
