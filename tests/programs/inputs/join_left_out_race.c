// For one input the thread is not joined before its result is read.
// The race needs: x = 278: 21 * 13 + 5.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static int result;

static void *worker(void *arg) {
    result = 1;                                 // race missed(explore): it tries other values
    return arg;
}

int main(void) {
    pthread_t id;
    int x = __VERIFIER_nondet_int();
    int is_hurried = x / 13 == 21 && x % 13 == 5;
    pthread_create(&id, NULL, worker, NULL);
    if (!is_hurried)
        pthread_join(id, NULL);
    int seen = result;                          // race missed(explore): it tries other values
    if (is_hurried)
        pthread_join(id, NULL);
    return seen;
}
