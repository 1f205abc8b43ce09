// A sequence number that is stored and read relaxed: it tells how many slots are filled, but orders nothing.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int filled;
static int north, south;

static void *writer(void *arg) {
    north = 10;                                 // race
    atomic_store_explicit(&filled, 1, memory_order_relaxed);
    south = 20;                                 // race
    atomic_store_explicit(&filled, 2, memory_order_relaxed);
    return arg;
}

static void await(int number) {
    while (atomic_load_explicit(&filled, memory_order_relaxed) < number)
        ;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    await(1);
    int sum = north;                            // race
    await(2);
    sum += south;                               // race
    pthread_join(t, NULL);
    return sum == 30 ? 0 : 1;
}
