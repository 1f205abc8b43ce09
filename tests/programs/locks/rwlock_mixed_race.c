// The writer takes the write lock but one reader reads with no lock at all.
#include <pthread.h>

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *good_reader(void *arg) {
    pthread_rwlock_rdlock(&rw);
    int seen = value;                           // no-race
    pthread_rwlock_unlock(&rw);
    return seen ? arg : NULL;
}

static void *bad_reader(void *arg) {
    int seen = value;                           // race
    return seen ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, good_reader, NULL);
    pthread_create(&b, NULL, bad_reader, NULL);
    pthread_rwlock_wrlock(&rw);
    value = 1;                                  // race
    pthread_rwlock_unlock(&rw);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
