// The lock is found by a pointer that only main writes, and writes again.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *lock = &m;
static int x;

static void *work(void *arg) {
    pthread_mutex_t *mine = lock; // race
    pthread_mutex_lock(mine);
    x++; // race
    pthread_mutex_unlock(mine);
    return arg;
}

int main(void) {
    pthread_t s, t;
    lock = &m;
    pthread_create(&s, NULL, work, NULL);
    lock = &n; // race
    pthread_mutex_lock(lock);
    x++; // race
    pthread_mutex_unlock(lock);
    pthread_join(s, NULL);
    return 0;
}
