// a barrier for as many threads as come to it, or for one more: no-deadlock, proved by explore
#include <pthread.h>

static pthread_barrier_t meeting;

static void *worker(void *p) {
    pthread_barrier_wait(&meeting); // no-deadlock
    return p;
}

int main(void) {
    pthread_t t, u;
    pthread_barrier_init(&meeting, 0, 2);
    pthread_create(&t, 0, worker, 0);
    pthread_create(&u, 0, worker, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
