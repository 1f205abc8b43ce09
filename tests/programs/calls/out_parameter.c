// Results through out-parameters that point to locals of each thread.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int stock = 10;

static int take(int wanted, int *left) {
    pthread_mutex_lock(&m);
    int ok = stock >= wanted;                   // no-race
    if (ok)
        stock -= wanted;                        // no-race
    *left = stock;                              // no-race
    pthread_mutex_unlock(&m);
    return ok;
}

static void *worker(void *arg) {
    int left = -1;
    while (take(3, &left))
        ;
    return left < 3 ? arg : NULL;               // no-race
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return stock == 1 ? 0 : 1;                  // no-race
}
