// pthread_rwlock_timedrdlock and timedwrlock, checked.
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *worker(void *arg) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    if (pthread_rwlock_timedwrlock(&rw, &until) != 0)
        return NULL;
    value++;                                    // no-race
    pthread_rwlock_unlock(&rw);
    if (pthread_rwlock_timedrdlock(&rw, &until) == 0) {
        if (value > 1)                          // no-race
            arg = NULL;
        pthread_rwlock_unlock(&rw);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value <= 2 ? 0 : 1;                  // no-race
}
