// a thread gives a lock back on every path, or not on one: no-deadlock, proved by lockset
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *worker(void *p) {
    pthread_mutex_lock(&a); // no-deadlock
    if (count == 1) {
        pthread_mutex_unlock(&a);
        return p;
    }
    count++;
    pthread_mutex_unlock(&a);
    return p;
}

int main(void) {
    pthread_t t, u, v;
    pthread_create(&t, 0, worker, 0);
    pthread_create(&u, 0, worker, 0);
    pthread_create(&v, 0, worker, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    pthread_join(v, 0);
    return 0;
}
