// One helper, called with the shared object under the lock and once more after it.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void add(int *p, int n) {
    *p += n;                                    // race
}

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    add(&shared, 1);
    pthread_mutex_unlock(&m);
    add(&shared, 2);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return shared <= 6 ? 0 : 1;                 // no-race
}
