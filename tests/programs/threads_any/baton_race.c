// A baton goes to and fro, but who takes it back does not look at what the other has done.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int baton;
static int page;

static void *receiver(void *arg) {
    for (int round = 0; round < 2; round++) {
        while (atomic_load_explicit(&baton, memory_order_acquire) != 1)
            ;
        page++;                                 // race
        atomic_store_explicit(&baton, 0, memory_order_release);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, receiver, NULL);
    for (int round = 0; round < 2; round++) {
        while (atomic_load_explicit(&baton, memory_order_relaxed) != 0)
            ;
        page *= 2;                              // race
        atomic_store_explicit(&baton, 1, memory_order_release);
    }
    return 0;
}
