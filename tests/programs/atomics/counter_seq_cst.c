// An _Atomic counter: ++, += and even x = x + 1 are atomic accesses.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;
static _Atomic long total;

static void *worker(void *arg) {
    counter++;                                  // no-race
    total += 2;                                 // no-race
    total = total + 1;                          // no-race
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    int seen = counter;                         // no-race
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen <= counter ? 0 : 1;             // no-race
}
