// The owner of a normal mutex does not get it a second time by trylock: one unlock gives it back.
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;
static int value;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    if (pthread_mutex_trylock(&lock) == EBUSY)
        value++;                                // no-race
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_mutexattr_t attr;
    pthread_t a, b;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_NORMAL);
    pthread_mutex_init(&lock, &attr);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value == 2 ? 0 : 1;                  // no-race
}
