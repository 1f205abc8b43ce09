// The owner of a recursive mutex gets it by trylock, too; as often as it was taken it is given back.
#include <pthread.h>

static pthread_mutex_t lock;
static int value;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    if (pthread_mutex_trylock(&lock) == 0) {
        value++;                                // no-race
        pthread_mutex_unlock(&lock);
    }
    value++;                                    // no-race
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_mutexattr_t attr;
    pthread_t a, b;
    int type = -1;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutexattr_gettype(&attr, &type);
    pthread_mutex_init(&lock, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_mutex_destroy(&lock);
    return type == PTHREAD_MUTEX_RECURSIVE && value == 4 ? 0 : 1;  // no-race
}
