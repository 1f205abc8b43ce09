// a thread is joined while a lock is held that it needs, or after that was given back: no-deadlock, proved by lockset
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *p) {
    pthread_mutex_lock(&a); // no-deadlock
    pthread_mutex_unlock(&a);
    return p;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&a);
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_unlock(&a);
    pthread_join(t, 0); // no-deadlock
    return 0;
}
