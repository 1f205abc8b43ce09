// A struct goes from one thread to another by assignment; one value in it opens the way to an access without lock.
// The race needs: x = 185, or another number up to 1000 that leaves 7 when it is divided by 89; second before third.
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
    next.y = x + x;
    current = next;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    struct point seen = current;
    pthread_mutex_unlock(&m);
    if (seen.x > 100 && seen.x < 1000 && seen.y == 2 * seen.x && seen.x % 89 == 7)
        shared++;                             // race missed(explore): it tries other values
    return arg;
}

static void *third(void *arg) {
    pthread_mutex_lock(&m);
    shared--;                                 // race missed(explore): it tries other values
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
