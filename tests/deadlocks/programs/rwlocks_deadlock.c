// read and write side of two rwlocks, in the same order or in opposite orders: deadlock
#include <pthread.h>

static pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *p) {
    pthread_rwlock_rdlock(&a);
    pthread_rwlock_wrlock(&b); // deadlock
    pthread_rwlock_unlock(&b);
    pthread_rwlock_unlock(&a);
    return p;
}

static void *second(void *p) {
    pthread_rwlock_rdlock(&b);
    pthread_rwlock_wrlock(&a); // deadlock
    pthread_rwlock_unlock(&a);
    pthread_rwlock_unlock(&b);
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
