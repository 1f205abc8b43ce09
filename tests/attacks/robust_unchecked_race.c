// A robust mutex whose owner has died is given back as it was found: from then on it refuses everybody, and nobody asks.
#include <pthread.h>

static pthread_mutex_t m, n = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void *dies(void *arg) {
    pthread_mutex_lock(&m);
    return arg;
}

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    x++; // race
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&n);
    y++; // no-race
    pthread_mutex_unlock(&n);
    return arg;
}

int main(void) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &kind);
    pthread_t a, b, c;
    pthread_create(&a, NULL, dies, NULL);
    pthread_join(a, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_create(&b, NULL, worker, NULL);
    pthread_create(&c, NULL, worker, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
