// an initialiser needs a lock that somebody holds who waits for the initialiser, or not: deadlock
#include <pthread.h>

static pthread_once_t control = PTHREAD_ONCE_INIT;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void initialise(void) {
    pthread_mutex_lock(&m); // deadlock
    pthread_mutex_unlock(&m);
}

static void *first(void *p) {
    pthread_once(&control, initialise); // deadlock
    return p;
}

static void *second(void *p) {
    pthread_mutex_lock(&m); // deadlock
    pthread_once(&control, initialise); // deadlock
    pthread_mutex_unlock(&m);
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
