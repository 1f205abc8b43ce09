// One lock is set back while it is held; the other one is not touched.
#include <pthread.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void *worker(void *arg) {
    pthread_mutex_lock(&m); // race
    x++; // race
    pthread_mutex_unlock(&m); // race
    pthread_mutex_lock(&n);
    y++; // no-race
    pthread_mutex_unlock(&n);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    memset(&m, 0, sizeof m); // race
    return 0;
}
