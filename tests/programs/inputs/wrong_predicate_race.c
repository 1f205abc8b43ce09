// For one input the level that is waited for is 0, so that nobody waits.
// The race needs: x = 47: (5 * 47 + 9) % 61 is 0.
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t risen = PTHREAD_COND_INITIALIZER;
static unsigned level, data;

static void *first(void *arg) {
    data = 7;                                   // race missed(explore): it tries other values
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
    unsigned wanted = (x * 5 + 9) % 61;
    pthread_mutex_lock(&m);
    while (level < wanted)
        pthread_cond_wait(&risen, &m);
    pthread_mutex_unlock(&m);
    data++;                                     // race missed(explore): it tries other values
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
