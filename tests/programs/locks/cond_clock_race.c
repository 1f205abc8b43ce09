// A wait that timed out did not see the flag: what the flag stands for is not ordered.
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, data;

static void *setter(void *arg) {
    data = 1;                                   // race
    pthread_mutex_lock(&lock);
    ready = 1;                                  // no-race
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    struct timespec deadline = {0, 0};
    pthread_t t;
    int seen;
    pthread_create(&t, NULL, setter, NULL);
    pthread_mutex_lock(&lock);
    while (!ready)                              // no-race
        if (pthread_cond_timedwait(&changed, &lock, &deadline) == ETIMEDOUT)
            break;
    pthread_mutex_unlock(&lock);
    seen = data;                                // race
    pthread_join(t, NULL);
    return seen >= 0 ? 0 : 1;
}
