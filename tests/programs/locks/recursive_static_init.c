// A static recursive mutex: the inner unlock does not give it back.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int value;

static void add(void) {
    pthread_mutex_lock(&lock);
    value++;                                    // no-race
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    add();
    value++;                                    // no-race
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value == 4 ? 0 : 1;                  // no-race
}
