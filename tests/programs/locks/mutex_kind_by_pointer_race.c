// The kind of a mutex is set through a pointer to a function: whoever holds it already is refused.
#include <pthread.h>

static pthread_mutex_t m;
static int (*set_kind)(pthread_mutexattr_t *, int) = pthread_mutexattr_settype;
static int x;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    int refused = pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    if (refused) x++;                           // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    set_kind(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &kind);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return x;                                   // no-race
}
