// A mutex is destroyed and made anew between two groups of threads.
#include <pthread.h>

static pthread_mutex_t lock;
static int value;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    value++;                                    // no-race
    pthread_mutex_unlock(&lock);
    return arg;
}

static void both(void) {
    pthread_t a, b;
    pthread_mutex_init(&lock, NULL);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_mutex_destroy(&lock);
}

int main(void) {
    both();
    both();
    return value == 4 ? 0 : 1;                  // no-race
}
