// A read-write lock is initialised by the thread that comes first, without anything that makes it the first.
#include <pthread.h>

static pthread_rwlock_t lock;
static int value;

static void *reader(void *arg) {
    pthread_rwlock_rdlock(&lock);               // race
    int seen = value;                           // no-race
    pthread_rwlock_unlock(&lock);               // race
    return seen ? arg : NULL;
}

static void *writer(void *arg) {
    pthread_rwlock_init(&lock, NULL);           // race
    pthread_rwlock_wrlock(&lock);
    value = 1;                                  // no-race
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, reader, NULL);
    pthread_create(&second, NULL, writer, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
