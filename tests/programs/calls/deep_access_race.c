// The same function is reached with the lock and, on another way, without.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void third(int n) {
    value += n;                                 // race
}

static void second(int n) {
    third(n + 1);
}

static void first(int n) {
    pthread_mutex_lock(&m);
    second(n + 1);
    pthread_mutex_unlock(&m);
}

static void *worker(void *arg) {
    first(0);
    return arg;
}

static void *shortcut(void *arg) {
    second(0);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, shortcut, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value <= 3 ? 0 : 1;                  // no-race
}
