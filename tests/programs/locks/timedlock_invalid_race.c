// A timed lock is refused because its time is none, but only if it has to wait: who then goes on has no lock.
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    value++;                                    // race
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    struct timespec never = {1, 1000000000};
    pthread_create(&t, NULL, worker, NULL);
    int error = pthread_mutex_timedlock(&lock, &never);
    if (error == EINVAL) value = 0;             // race
    if (error == 0) pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
