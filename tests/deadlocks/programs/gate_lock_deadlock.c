// opposite orders under a gate lock that both threads hold, or only one of them: deadlock
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *p) {
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); // deadlock
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&gate);
    return p;
}

static void *second(void *p) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); // deadlock
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
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
