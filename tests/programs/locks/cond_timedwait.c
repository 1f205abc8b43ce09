// pthread_cond_timedwait re-takes the mutex also when the time has run out.
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int count;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    count++;                                    // no-race
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec = until.tv_nsec / 2;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&m);
    int r = pthread_cond_timedwait(&c, &m, &until);
    count += 10;                                // no-race
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return r >= 0 && count == 11 ? 0 : 1;       // no-race
}
