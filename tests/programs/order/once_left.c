// An initialiser that ends its thread is run again by whoever comes next; a lock orders what it does.
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void init(void) {
    pthread_mutex_lock(&m);
    int first = x++ == 0;                       // no-race
    pthread_mutex_unlock(&m);
    if (first) pthread_exit(NULL);
}

static void *worker(void *arg) {
    pthread_once(&once, init);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return x;                                   // no-race
}
