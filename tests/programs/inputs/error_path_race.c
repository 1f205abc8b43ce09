// The clean-up after an error counts without the lock.
// The race needs: v = 507 or 598: a multiple of 13 between 500 and 600, 3 more than a multiple of 7.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static int parse(int v, int *result) {
    if (v <= 500 || v >= 600)
        return 1;
    if (v % 13 == 0 && v % 7 == 3)
        return -1;
    *result = v / 2;
    return 0;
}

static void *first(void *arg) {
    int result = 0;
    int status = parse(__VERIFIER_nondet_int(), &result);
    if (status < 0) {
        shared--;                               // race missed(explore): it tries other values
        return NULL;
    }
    pthread_mutex_lock(&m);
    shared += result;
    pthread_mutex_unlock(&m);
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
