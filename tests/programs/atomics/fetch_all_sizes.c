// Every read-modify-write operation on atomics of 1, 2, 4 and 8 bytes; all orders.
#include <pthread.h>
#include <stdatomic.h>

static atomic_uchar tiny;
static atomic_ushort small;
static atomic_uint word;
static atomic_ullong large;

static void *worker(void *arg) {
    atomic_fetch_add_explicit(&tiny, 1, memory_order_relaxed);  // no-race
    atomic_fetch_or_explicit(&small, 6, memory_order_release);  // no-race
    atomic_fetch_xor_explicit(&word, 9, memory_order_acq_rel);  // no-race
    atomic_fetch_sub_explicit(&large, 1, memory_order_seq_cst);  // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    atomic_fetch_sub(&tiny, 1);                 // no-race
    atomic_fetch_and_explicit(&small, 0xfff0, memory_order_acquire);  // no-race
    atomic_exchange_explicit(&word, 9, memory_order_relaxed);  // no-race
    atomic_fetch_add(&large, 1);                // no-race
    pthread_join(t, NULL);
    return atomic_load(&tiny) == 0 && atomic_load(&large) == 0 && (small & 1) == 0 ? 0 : 1;  // no-race
}
