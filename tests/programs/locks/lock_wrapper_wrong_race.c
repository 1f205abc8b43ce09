// The same wrappers, called with the wrong lock in one place.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t m2 = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void acquire(pthread_mutex_t *m) {
    if (pthread_mutex_lock(m) != 0)
        abort();
}

static void release(pthread_mutex_t *m) {
    if (pthread_mutex_unlock(m) != 0)
        abort();
}

static void *worker(void *arg) {
    acquire(&m1);
    x++;                                        // race
    release(&m1);
    acquire(&m2);
    y++;                                        // no-race
    release(&m2);
    return arg;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, worker, NULL);
    acquire(&m2);
    x++;                                        // race
    y++;                                        // no-race
    release(&m2);
    pthread_join(a, NULL);
    return x == 2 && y == 2 ? 0 : 1;            // no-race
}
