// a thread calls pthread_exit after it gave its lock back, or before: deadlock
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *p) {
    pthread_mutex_lock(&a); // deadlock
    pthread_exit(p);
    pthread_mutex_unlock(&a);
    return p;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, worker, 0);
    pthread_create(&u, 0, worker, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
