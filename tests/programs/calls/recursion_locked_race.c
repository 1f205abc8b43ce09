// A recursive function that gives the lock back at the deepest level: on the way up it is gone.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int steps, returns;

static void descend(int depth) {
    steps++;                                    // no-race
    if (depth > 0)
        descend(depth - 1);
    else
        pthread_mutex_unlock(&m);
    returns++;                                  // race
}

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    descend(3);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return steps == 8 ? 0 : 1;                  // no-race
}
