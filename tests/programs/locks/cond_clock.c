// A wait that can only time out holds the mutex again afterwards; the clock comes from the attributes.
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never;
static int count;

static void *waiter(void *arg) {
    struct timespec deadline = {0, 0};
    pthread_mutex_lock(&lock);
    while (pthread_cond_timedwait(&never, &lock, &deadline) != ETIMEDOUT)
        ;
    count++;                                    // no-race
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_condattr_t attr;
    pthread_t a, b;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&never, &attr);
    pthread_condattr_destroy(&attr);
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, waiter, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return count == 2 ? 0 : 1;                  // no-race
}
