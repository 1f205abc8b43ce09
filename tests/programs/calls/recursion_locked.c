// A recursive function that runs with the lock of its first caller.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int steps;

static void descend(int depth) {
    steps++;                                    // no-race
    if (depth > 0)
        descend(depth - 1);
    steps++;                                    // no-race
}

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    descend(3);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return steps == 16 ? 0 : 1;                 // no-race
}
