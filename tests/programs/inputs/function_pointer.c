// The function that works without the lock is never chosen.
// (x | 1) is odd.
#include <pthread.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void careful(void) {
    pthread_mutex_lock(&m);
    shared++;                                   // no-race alarm(lockset): data exclude the branch
    pthread_mutex_unlock(&m);
}

static void careless(void) {
    shared--;                                   // no-race alarm(lockset): data exclude the branch; alarm(explore): not all inputs
}

static void (*const actions[2])(void) = {careful, careless};

static void *first(void *arg) {
    unsigned char x = __VERIFIER_nondet_uchar();
    actions[(x | 1) == 0xcc]();
    return arg;
}

static void *second(void *arg) {
    careful();
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
