/* Atomics with the orders that the program gives them. */
#include <stdatomic.h>

atomic_int count;
_Atomic long total;
int plain;

int main(void)
{
    atomic_fetch_add(&count, 1);
    atomic_store_explicit(&count, 2, memory_order_release);
    int seen = atomic_load_explicit(&count, memory_order_acquire);
    int expected = 0;
    atomic_compare_exchange_weak_explicit(&count, &expected, 3, memory_order_acq_rel, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    total += seen;
    return __sync_fetch_and_add(&plain, 1) + __atomic_load_n(&plain, __ATOMIC_RELAXED);
}
