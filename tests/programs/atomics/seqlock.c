// A sequence lock whose data are atomics too: readers may be torn, but nothing races.
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int x, y;

static void *writer(void *arg) {
    for (int i = 1; i <= 5; i++) {
        atomic_fetch_add(&sequence, 1);         // no-race
        atomic_store_explicit(&x, i, memory_order_release);  // no-race
        atomic_store_explicit(&y, i, memory_order_release);  // no-race
        atomic_fetch_add(&sequence, 1);         // no-race
    }
    return arg;
}

int main(void) {
    pthread_t t;
    unsigned before, after;
    int a, b;
    pthread_create(&t, NULL, writer, NULL);
    do {
        before = atomic_load(&sequence);        // no-race
        a = atomic_load_explicit(&x, memory_order_acquire);  // no-race
        b = atomic_load_explicit(&y, memory_order_acquire);  // no-race
        after = atomic_load(&sequence);         // no-race
    } while (before != after || before % 2 != 0);
    pthread_join(t, NULL);
    return a == b ? 0 : 1;
}
