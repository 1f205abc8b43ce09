// tryrdlock and trywrlock, each checked before the access.
#include <pthread.h>

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *reader(void *arg) {
    int seen = 0;
    if (pthread_rwlock_tryrdlock(&rw) == 0) {
        seen = value;                           // no-race
        pthread_rwlock_unlock(&rw);
    }
    return seen ? arg : NULL;
}

static void *writer(void *arg) {
    if (pthread_rwlock_trywrlock(&rw) == 0) {
        value++;                                // no-race
        pthread_rwlock_unlock(&rw);
    }
    return arg;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_create(&c, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return value <= 2 ? 0 : 1;
}
