// An input selects the lock; the other thread always takes the first one.
// The race needs: x = 1072.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int x, shared;

static void *first(void *arg) {
    int which = x > 1000 && x < 1100 && x % 97 == 5;
    pthread_mutex_lock(&locks[which]);
    shared++;                                   // race missed(explore): it tries other values
    pthread_mutex_unlock(&locks[which]);
    return arg;
}

static void *second(void *arg) {
    int which = 0;
    pthread_mutex_lock(&locks[which]);
    shared--;                                   // race missed(explore): it tries other values
    pthread_mutex_unlock(&locks[which]);
    return arg;
}

int main(void) {
    pthread_t a, b;
    x = __VERIFIER_nondet_int();
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
