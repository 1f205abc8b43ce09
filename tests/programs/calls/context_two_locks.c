// One helper, called for two objects, each under its own lock.
#include <pthread.h>

static pthread_mutex_t mx = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t my = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void locked_add(pthread_mutex_t *m, int *p) {
    pthread_mutex_lock(m);
    *p += 1;                                    // no-race
    pthread_mutex_unlock(m);
}

static void *worker(void *arg) {
    locked_add(&mx, &x);
    locked_add(&my, &y);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return x + y == 4 ? 0 : 1;                  // no-race
}
