// pthread spin locks, in the same order or in opposite orders: no-deadlock, proved by lockset
#include <pthread.h>

static pthread_spinlock_t a, b;

static void *first(void *p) {
    pthread_spin_lock(&a);
    pthread_spin_lock(&b); // no-deadlock
    pthread_spin_unlock(&b);
    pthread_spin_unlock(&a);
    return p;
}

static void *second(void *p) {
    pthread_spin_lock(&a);
    pthread_spin_lock(&b); // no-deadlock
    pthread_spin_unlock(&a);
    pthread_spin_unlock(&b);
    return p;
}

int main(void) {
    pthread_t t, u;
    pthread_spin_init(&a, 0);
    pthread_spin_init(&b, 0);
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
