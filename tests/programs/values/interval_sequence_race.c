// A sequence number tells how many slots are filled; the reader is one ahead.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int filled;
static int north, south;

static void *writer(void *arg) {
    north = 10;                                 // no-race alarm(lockset): the number tells what is filled
    atomic_store_explicit(&filled, 1, memory_order_release);
    south = 20;                                 // race
    atomic_store_explicit(&filled, 2, memory_order_release);
    return arg;
}

static void await(int number) {
    while (atomic_load_explicit(&filled, memory_order_acquire) < number)
        ;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    await(1);
    int sum = north;                            // no-race alarm(lockset): the number tells what is filled
    await(1);
    sum += south;                               // race
    pthread_join(t, NULL);
    return sum == 30 ? 0 : 1;
}
