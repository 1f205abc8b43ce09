// an error-checking mutex refuses its owner; a default one lets it wait for ever: no-deadlock, proved by explore
#include <pthread.h>

static pthread_mutex_t a;

static void *first(void *p) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&a); // no-deadlock
    pthread_mutex_unlock(&a);
    return p;
}

int main(void) {
    pthread_t t;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&a, &kind);
    pthread_create(&t, 0, first, 0);
    pthread_join(t, 0);
    return 0;
}
