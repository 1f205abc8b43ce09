// A mutex with a priority ceiling may refuse a thread, which then leaves the counter alone.
#include <pthread.h>

static pthread_mutex_t m;
static int count;

static void *worker(void *arg) {
    if (pthread_mutex_lock(&m) != 0)
        return arg;
    count++;                                    // no-race alarm(explore): whom such a mutex refuses is not tried
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_mutexattr_t protect;
    pthread_mutexattr_init(&protect);
    pthread_mutexattr_setprotocol(&protect, PTHREAD_PRIO_PROTECT);
    pthread_mutexattr_setprioceiling(&protect, 1);
    pthread_mutex_init(&m, &protect);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
