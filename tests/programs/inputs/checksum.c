// No three bytes have the checksum.
// 5 * 255 + 7 * 255 + 11 * 255 is 5865.
#include <pthread.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static unsigned sum(const unsigned char *record) {
    return record[0] * 5u + record[1] * 7u + record[2] * 11u;
}

static void *first(void *arg) {
    unsigned char record[3];
    record[0] = __VERIFIER_nondet_uchar();
    record[1] = __VERIFIER_nondet_uchar();
    record[2] = __VERIFIER_nondet_uchar();
    if (sum(record) == 5866 && record[0] < record[1] && record[1] < record[2])
        shared = record[0];                     // no-race alarm(lockset): data exclude the branch
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    shared++;                                   // no-race alarm(lockset): data exclude the branch; alarm(explore): not all inputs
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
