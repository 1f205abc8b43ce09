// The writer always has the lock for writing.
// (mode | 1) is odd.
#include <pthread.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *first(void *arg) {
    unsigned char mode = __VERIFIER_nondet_uchar();
    if ((mode | 1) == 0x3c)
        pthread_rwlock_rdlock(&lock);
    else
        pthread_rwlock_wrlock(&lock);
    value++;                                    // no-race alarm(lockset): data exclude the branch
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *second(void *arg) {
    pthread_rwlock_rdlock(&lock);
    int seen = value;                           // no-race alarm(lockset): data exclude the branch; alarm(explore): not all inputs
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
