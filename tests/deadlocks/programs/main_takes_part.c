// main takes the locks in opposite order, after the join or before it: no-deadlock, proved by lockset
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *p) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); // no-deadlock
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return p;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, first, 0);
    pthread_join(t, 0);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); // no-deadlock
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return 0;
}
