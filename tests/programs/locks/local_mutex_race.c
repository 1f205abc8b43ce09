// The mutex is a local variable of the start function: every instance has another one.
#include <pthread.h>

static int value;

static void *worker(void *arg) {
    pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mine);
    value++;                                    // race
    pthread_mutex_unlock(&mine);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value <= 2 ? 0 : 1;                  // no-race
}
