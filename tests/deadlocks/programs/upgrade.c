// a reader gives its side back before it writes, or upgrades while another does so: no-deadlock, proved by lockset
#include <pthread.h>

static pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER;

static void *worker(void *p) {
    pthread_rwlock_rdlock(&a);
    pthread_rwlock_unlock(&a);
    pthread_rwlock_wrlock(&a); // no-deadlock
    pthread_rwlock_unlock(&a);
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
