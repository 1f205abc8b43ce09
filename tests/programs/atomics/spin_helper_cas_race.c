// One function compares and exchanges: from 0 to 1 it takes a spin lock, from 1 to 0 it opens that of another.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int busy;
static int data;

static int cas(atomic_int *place, int old, int value) { return atomic_compare_exchange_strong(place, &old, value); }

static void *worker(void *arg) {
    while (!cas(&busy, 0, 1))                   // no-race
        ;
    data++;                                     // race
    atomic_store(&busy, 0);                     // no-race
    return arg;
}

static void *other(void *arg) {
    cas(&busy, 1, 0);                           // no-race
    return arg;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_create(&c, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return data < 0;                            // no-race
}
