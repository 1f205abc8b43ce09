// The result of trywrlock is not looked at before the write.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *writer(void *arg) {
    int busy = pthread_rwlock_trywrlock(&lock);
    value++;                                    // race
    if (!busy)
        pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    int seen;
    pthread_create(&t, NULL, writer, NULL);
    pthread_rwlock_rdlock(&lock);
    seen = value;                               // race
    pthread_rwlock_unlock(&lock);
    pthread_join(t, NULL);
    return seen >= 0 ? 0 : 1;
}
