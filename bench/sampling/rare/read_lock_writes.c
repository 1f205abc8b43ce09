/* A reader repairs what has changed, under the read lock. */
#include <pthread.h>
#include <stdlib.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int version, cached;

static void *first(void *unused) {
    (void)unused;
    for (int i = 0; i < 4; i++) {
        pthread_rwlock_rdlock(&lock);
        int seen = version;
        pthread_rwlock_unlock(&lock);
        pthread_rwlock_rdlock(&lock);
        if (version != seen) cached = version; // race
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

static void *second(void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        pthread_rwlock_wrlock(&lock);
        version++;
        pthread_rwlock_unlock(&lock);
        pthread_rwlock_rdlock(&lock);
        int now = cached; // race
        (void)now;
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
