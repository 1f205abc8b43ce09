// Whoever comes back from a timed wait looks whether there is a reason to go on.
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, value;

static void *waiter(void *arg) {
    struct timespec until = {1, 0};
    int go = 0;
    pthread_mutex_lock(&m);
    if (pthread_cond_timedwait(&c, &m, &until) == 0 && ready)  // no-race
        go = 1;
    pthread_mutex_unlock(&m);
    if (go)
        value = 1;                              // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    value = 2;                                  // no-race
    pthread_mutex_lock(&m);
    ready = 1;                                  // no-race
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
