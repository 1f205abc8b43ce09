// An error-checking mutex: locking again fails, changes nothing, and one unlock releases it.
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t m;
static int value;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    if (pthread_mutex_lock(&m) == EDEADLK)
        value++;                                // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &attr);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value == 2 ? 0 : 1;                  // no-race
}
