// A write while holding the lock in read mode only: readers and such writers do not exclude each other.
#include <pthread.h>

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int cached = -1, source = 7;

static void *reader(void *arg) {
    pthread_rwlock_rdlock(&rw);
    if (cached < 0)                             // race
        cached = source * 2;                    // race
    pthread_rwlock_unlock(&rw);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_rwlock_wrlock(&rw);
    source = 8;                                 // no-race
    pthread_rwlock_unlock(&rw);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return cached > 0 ? 0 : 1;                  // no-race
}
