// A pointer that travels through an integer.
#include <pthread.h>
#include <stdint.h>

static int value;

static void *worker(void *arg) {
    uintptr_t bits = (uintptr_t)arg;
    int *p = (int *)(bits & ~(uintptr_t)1);
    *p = 1;                                     // race
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, (void *)((uintptr_t)&value | 1));
    value = 2;                                  // race
    pthread_join(t, NULL);
    return value > 0 ? 0 : 1;                   // no-race
}
