// GCC's builtins make the operation atomic, not the variable: main reads it plainly.
#include <pthread.h>

static long number;
static unsigned char mask;

static void *worker(void *arg) {
    long old = 0, one = 1;
    __atomic_compare_exchange(&number, &old, &one, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);  // race
    __atomic_or_fetch(&mask, 2, __ATOMIC_RELAXED);  // race
    return arg;
}

int main(void) {
    pthread_t t;
    long seen;
    pthread_create(&t, NULL, worker, NULL);
    seen = number;                              // race
    seen += mask;                               // race
    pthread_join(t, NULL);
    return seen <= 3 ? 0 : 1;
}
