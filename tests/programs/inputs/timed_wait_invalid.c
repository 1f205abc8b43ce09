// A timed wait with a time that is one may end too late, but does not fail.
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int value;

static void *writer(void *arg) {
    (void)arg;
    value = 2;                                  // no-race alarm(lockset): results of waits are not followed
    return NULL;
}

int main(void) {
    pthread_t t;
    struct timespec soon = {0, 900000000};
    soon.tv_nsec += 50000000;
    pthread_create(&t, NULL, writer, NULL);
    pthread_mutex_lock(&lock);
    int error = pthread_cond_timedwait(&changed, &lock, &soon);
    pthread_mutex_unlock(&lock);
    if (error == EINVAL)
        value = 1;                              // no-race alarm(lockset): results of waits are not followed; alarm(explore): a 0 without a signal is not tried
    pthread_join(t, NULL);
    return 0;
}
