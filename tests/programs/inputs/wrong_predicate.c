// The level that is waited for is never 0.
// The level is at least 1, and it is 100 after the write.
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t risen = PTHREAD_COND_INITIALIZER;
static unsigned level, data;

static void *first(void *arg) {
    data = 7;                                   // no-race alarm(lockset): the order is in the level
    pthread_mutex_lock(&m);
    level = 100;
    pthread_cond_signal(&risen);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    unsigned x = __VERIFIER_nondet_uint();
    if (x > 60)
        return arg;
    unsigned wanted = (x * 5 + 9) % 61 + 1;
    pthread_mutex_lock(&m);
    while (level < wanted)
        pthread_cond_wait(&risen, &m);
    pthread_mutex_unlock(&m);
    data++;                                     // no-race alarm(lockset): the order is in the level; alarm(explore): not all inputs
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
