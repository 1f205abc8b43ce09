// A function that returns whether it left the lock held, and callers that look at the result.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int stock = 3;

static int begin_sale(void) {
    pthread_mutex_lock(&m);
    if (stock > 0)                              // no-race
        return 1;
    pthread_mutex_unlock(&m);
    return 0;
}

static void *worker(void *arg) {
    for (int i = 0; i < 4; i++) {
        if (begin_sale()) {
            stock--;                            // no-race
            pthread_mutex_unlock(&m);
        }
    }
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
