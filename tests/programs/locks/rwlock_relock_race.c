// The thread that writes asks for the read lock as well, which fails: the first unlock gives the lock back.
#include <pthread.h>

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *writer(void *arg) {
    pthread_rwlock_wrlock(&rw);
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_unlock(&rw);
    value++;                                    // race
    pthread_rwlock_unlock(&rw);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
