// The access happens when trylock has said that the mutex is taken, which may be by another thread.
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *worker(void *arg) {
    if (pthread_mutex_trylock(&lock) == EBUSY) {
        value++;                                // race
    } else {
        value++;                                // race
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
    return value >= 1 ? 0 : 1;                  // no-race
}
