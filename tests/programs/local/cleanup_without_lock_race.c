// The end of a thread runs its cleanup handler, which counts without the lock.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void leave(void *arg) {
    x++; // race
}

static void *worker(void *arg) {
    pthread_cleanup_push(leave, arg);
    pthread_mutex_lock(&m);
    y++; // no-race
    pthread_mutex_unlock(&m);
    pthread_exit(NULL);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
