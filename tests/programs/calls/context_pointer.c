// One helper, called with a shared object under the lock and with a local one without.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void add(int *p, int n) {
    *p += n;                                    // no-race
}

static void *worker(void *arg) {
    int local = 0;
    add(&local, 5);
    pthread_mutex_lock(&m);
    add(&shared, local);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return shared == 10 ? 0 : 1;                // no-race
}
