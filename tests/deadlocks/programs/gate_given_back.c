// a gate lock held all the time, or given back before the second lock is taken: no-deadlock, proved by lockset
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *one, pthread_mutex_t *other) {
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(one);
    pthread_mutex_lock(other); // no-deadlock
    pthread_mutex_unlock(&gate);
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(one);
}

static void *first(void *p) {
    both(&a, &b);
    return p;
}

static void *second(void *p) {
    both(&b, &a);
    return p;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
