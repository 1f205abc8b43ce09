// A thread ends with the lock: it stays taken, and whoever tries it does not get it.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int count;

static void *keeper(void *arg) {
    pthread_rwlock_wrlock(&lock);
    count++;                        // no-race
    return arg;
}

static void *other(void *arg) {
    if (pthread_rwlock_trywrlock(&lock) == 0) {
        count--;                    // no-race
        pthread_rwlock_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, keeper, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
