// The kind of a mutex is set by its old name: a second lock is refused, and one unlock gives it back.
#include <pthread.h>

extern int pthread_mutexattr_setkind_np(pthread_mutexattr_t *, int);

static pthread_mutex_t m;
static int x;

static void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    x++; // race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setkind_np(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &kind);
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    x++; // race
    pthread_join(t, NULL);
    return 0;
}
