// A timed lock whose time is none is not refused where it need not wait.
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *worker(void *arg) {
    value++;                                    // no-race alarm(lockset): why a lock was refused is not followed
    return arg;
}

int main(void) {
    pthread_t t;
    struct timespec never = {1, 1000000000};
    pthread_create(&t, NULL, worker, NULL);
    int error = pthread_mutex_timedlock(&lock, &never);
    if (error == EINVAL) value = 0;             // no-race alarm(lockset): the same
    if (error == 0) pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
