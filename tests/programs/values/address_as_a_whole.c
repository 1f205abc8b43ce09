// A thread takes no lock if a pointer is not what it was set to, which it always is.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int data, x;
static int *where = &data;

static void *worker(void *arg) {
    if (where != &data) {
        x++;                                    // no-race alarm(lockset): what a pointer is decides
    } else {
        pthread_mutex_lock(&m);
        x++;                                    // no-race alarm(lockset): what a pointer is decides
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
