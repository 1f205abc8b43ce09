// A mutex whose holder inherits priorities is an ordinary one.
#include <pthread.h>

static pthread_mutex_t m;
static int count;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    count++;                                    // no-race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_mutexattr_t inherit;
    pthread_mutexattr_init(&inherit);
    pthread_mutexattr_setprotocol(&inherit, PTHREAD_PRIO_INHERIT);
    pthread_mutexattr_setpshared(&inherit, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&m, &inherit);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
