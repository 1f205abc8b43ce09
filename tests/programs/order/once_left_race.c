// An initialiser that ends its thread is run again by whoever comes next.
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int x;

static void leave(void) { pthread_exit(NULL); }
static void nothing(void) {}

static void *first(void *arg) {
    pthread_once(&once, leave);
    return arg;
}

static void *worker(void *arg) {
    pthread_once(&once, nothing);
    x++;                                        // race
    return arg;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, first, NULL);
    pthread_join(a, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_create(&c, NULL, worker, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return x;                                   // no-race
}
