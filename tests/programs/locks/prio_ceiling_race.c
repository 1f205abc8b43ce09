// A mutex with a priority ceiling refuses threads of a higher priority, and ordinary ones with glibc: nobody looks.
#include <pthread.h>

static pthread_mutex_t m;
static int count;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    count++;                                    // race missed(explore): its priorities are all the same
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
