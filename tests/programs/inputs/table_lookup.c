// The value does not stand in the table.
// No element is 78.
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

static const short weights[16] = {3, 14, 15, 92, 65, 35, 89, 79, 32, 38, 46, 77, 43, 83, 27, 95};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *first(void *arg) {
    unsigned x = __VERIFIER_nondet_uint();
    if (weights[x % 16] == 78)
        shared = 1;                             // no-race alarm(lockset): data exclude the branch
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
