// One helper for lock and object, and one call that pairs them wrongly.
#include <pthread.h>

static pthread_mutex_t mx = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t my = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void locked_add(pthread_mutex_t *m, int *p) {
    pthread_mutex_lock(m);
    *p += 1;                                    // race
    pthread_mutex_unlock(m);
}

static void *worker(void *arg) {
    locked_add(&mx, &x);
    locked_add(&my, &y);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    locked_add(&my, &x);
    pthread_join(t, NULL);
    return x + y == 3 ? 0 : 1;                  // no-race
}
