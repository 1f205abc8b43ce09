// a mutex that is taken again is recursive, or of the default kind: deadlock
#include <pthread.h>

static pthread_mutex_t a;

static void *first(void *p) {
    pthread_mutex_lock(&a); // deadlock
    pthread_mutex_lock(&a); // deadlock
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&a);
    return p;
}

int main(void) {
    pthread_t t, u;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_NORMAL);
    pthread_mutex_init(&a, &kind);
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, first, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
