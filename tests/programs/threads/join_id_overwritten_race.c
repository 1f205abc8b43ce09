// One id variable for two threads: only the second one can be joined.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    value++;                                    // race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return value >= 1 ? 0 : 1;                  // race
}
