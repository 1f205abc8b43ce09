// A function with an early return that gives the lock back on every path.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int stock = 3;

static int take(void) {
    pthread_mutex_lock(&m);
    if (stock == 0) {                           // no-race
        pthread_mutex_unlock(&m);
        return 0;
    }
    stock--;                                    // no-race
    pthread_mutex_unlock(&m);
    return 1;
}

static void *worker(void *arg) {
    while (take())
        ;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return stock;                               // no-race
}
