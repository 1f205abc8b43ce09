// A timed wait may return 0 although nobody has signalled.
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int value;

static void *waiter(void *arg) {
    struct timespec until = {1, 0};
    pthread_mutex_lock(&m);
    int r = pthread_cond_timedwait(&c, &m, &until);
    pthread_mutex_unlock(&m);
    if (r == 0)
        value = 1;                              // race missed(explore): it times out if nobody signals
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    value = 2;                                  // race missed(explore): see above
    pthread_join(t, NULL);
    return 0;
}
