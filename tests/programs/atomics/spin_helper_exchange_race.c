// One function exchanges the value of a spin lock: it takes the lock here and opens it there.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int busy;
static int data;

static int swap(atomic_int *place, int value) { return atomic_exchange(place, value); }

static void *worker(void *arg) {
    while (swap(&busy, 1))                      // no-race
        ;
    data++;                                     // race
    atomic_store(&busy, 0);                     // no-race
    return arg;
}

static void *other(void *arg) {
    swap(&busy, 0);                             // no-race
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
