// A read-write lock with attributes; two readers at once, one writer.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t lock;
static int value, seen[2];

static void *reader(void *arg) {
    long i = (long)arg;
    pthread_rwlock_rdlock(&lock);
    seen[i] = value;                            // no-race
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_rwlockattr_t attr;
    pthread_t a, b;
    pthread_rwlockattr_init(&attr);
    pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &attr);
    pthread_rwlockattr_destroy(&attr);
    pthread_create(&a, NULL, reader, (void *)0L);
    pthread_create(&b, NULL, reader, (void *)1L);
    pthread_rwlock_wrlock(&lock);
    value = 1;                                  // no-race
    pthread_rwlock_unlock(&lock);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_rwlock_destroy(&lock);
    return seen[0] + seen[1] <= 2 ? 0 : 1;      // no-race
}
