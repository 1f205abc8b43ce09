// An inline function in the sense of C99, which no file defines otherwise: the lock in its body counts.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int calls;

inline int count(int by) {
    pthread_mutex_lock(&m);
    calls += by;                                // no-race
    pthread_mutex_unlock(&m);
    return by;
}

static void *worker(void *arg) {
    return count(1) ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return calls;                               // no-race
}
