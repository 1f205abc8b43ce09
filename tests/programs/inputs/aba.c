// The slot is given back after the last use.
// Both take the slot from `top` and give it back there, with release and acquire.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int top = 1, turns;
static int slot;

static void *first(void *arg) {
    int before = atomic_load(&turns);
    int seen = atomic_load(&top);
    if (seen == 1 && atomic_compare_exchange_strong(&top, &seen, 2)) {
        if (atomic_load(&turns) == before + 2)
            slot = 1;                           // no-race alarm(lockset): a number that says who owns the slot
    }
    return arg;
}

static void *second(void *arg) {
    int seen = 1;
    if (atomic_compare_exchange_strong(&top, &seen, 0)) {
        atomic_fetch_add(&turns, 1);
        slot = 2;
        atomic_fetch_add(&turns, 1);
        slot = 3;                               // no-race alarm(lockset): a number that says who owns the slot
        atomic_store(&top, 1);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
