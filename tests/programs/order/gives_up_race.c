// Whoever waits gives up after the third time-out, and goes on as if the other thread were done.
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, value;

static void *giver(void *arg) {
    value = 1;                                  // race
    pthread_mutex_lock(&mutex);
    ready = 1;                                  // no-race
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t a;
    int tries = 0;
    pthread_create(&a, NULL, giver, NULL);
    pthread_mutex_lock(&mutex);
    while (!ready && tries < 3) {               // no-race
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        if (pthread_cond_timedwait(&changed, &mutex, &until) == ETIMEDOUT)
            tries++;
    }
    pthread_mutex_unlock(&mutex);
    int seen = value;                           // race
    pthread_join(a, NULL);
    return seen;
}
