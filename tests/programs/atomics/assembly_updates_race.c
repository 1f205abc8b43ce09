// What inline assembly updates atomically another thread just writes.
#include <pthread.h>

static int count, other;

static void increase(int *place) { __asm__ volatile("lock; incl %0" : "+m"(*place)); } // race

static void *worker(void *arg) {
    increase(&count);
    increase(&other);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    count = 0;                                  // race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return other != 2;                          // no-race
}
