// Two different threads and a barrier for two: before it one writes, after it the other.
#include <pthread.h>

static pthread_barrier_t barrier;
static int value;

static void *before(void *arg) {
    value = 1;                                  // no-race
    pthread_barrier_wait(&barrier);
    return arg;
}

static void *after(void *arg) {
    pthread_barrier_wait(&barrier);
    value++;                                    // no-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&a, NULL, before, NULL);
    pthread_create(&b, NULL, after, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return value == 2 ? 0 : 1;                  // no-race
}
