// The result of a read lock with a deadline is not looked at before the read.
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *reader(void *arg) {
    struct timespec deadline = {0, 0};
    int seen, late = pthread_rwlock_timedrdlock(&lock, &deadline);
    seen = value;                               // race
    if (!late)
        pthread_rwlock_unlock(&lock);
    return seen >= 0 ? arg : NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    pthread_rwlock_wrlock(&lock);
    value = 1;                                  // race
    pthread_rwlock_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
