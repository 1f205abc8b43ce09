// For one mode the writer has the lock for reading only.
// The race needs: mode = 0x99.
#include <pthread.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *first(void *arg) {
    unsigned char mode = __VERIFIER_nondet_uchar();
    if ((mode ^ 0xa5) == 0x3c)
        pthread_rwlock_rdlock(&lock);
    else
        pthread_rwlock_wrlock(&lock);
    value++;                                    // race missed(explore): it tries other values
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *second(void *arg) {
    pthread_rwlock_rdlock(&lock);
    int seen = value;                           // race missed(explore): it tries other values
    pthread_rwlock_unlock(&lock);
    return seen ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
