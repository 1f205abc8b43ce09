// A struct goes from one thread to another by assignment; no value in it opens the way to an access without lock.
// y is odd, so that it is never twice x.
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

struct point {
    int x;
    int y;
    int generation;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct point current, next;
static int shared;

static void *first(void *arg) {
    int x = __VERIFIER_nondet_int();
    pthread_mutex_lock(&m);
    next.x = x;
    next.y = 2 * x + 1;
    current = next;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    struct point seen = current;
    pthread_mutex_unlock(&m);
    if (seen.x > 100 && seen.x < 1000 && seen.y == 2 * seen.x && seen.x % 89 == 7)
        shared++;                             // no-race alarm(lockset): values decide; alarm(explore): not all inputs
    return arg;
}

static void *third(void *arg) {
    pthread_mutex_lock(&m);
    shared--;                                 // no-race alarm(lockset): values decide; alarm(explore): not all inputs
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_create(&c, NULL, third, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
