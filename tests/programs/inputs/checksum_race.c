// A record of three bytes with the right checksum takes the path without a lock.
// The race needs: 75, 78, 100.
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
    if (sum(record) == 2021 && record[0] < record[1] && record[1] < record[2])
        shared = record[0];                     // race missed(explore): it tries other values
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    shared++;                                   // race missed(explore): it tries other values
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
