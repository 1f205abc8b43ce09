// Locks of two kinds and a plain counter, all read and written by the same few functions.
#include <pthread.h>
#include <stdatomic.h>

struct ticket_lock {
    atomic_uint next, owner;
};

static struct ticket_lock tickets;
static atomic_uint busy;
static atomic_uint total;
static int first, second;

static unsigned swap(atomic_uint *place, unsigned value) {
    return atomic_exchange_explicit(place, value, memory_order_acquire);
}

static void put(atomic_uint *place, unsigned value) {
    atomic_store_explicit(place, value, memory_order_release);
}

static unsigned get(atomic_uint *place) { return atomic_load_explicit(place, memory_order_acquire); }

static unsigned increment(atomic_uint *place) {
    return atomic_fetch_add_explicit(place, 1, memory_order_relaxed);
}

static void *worker(void *arg) {
    unsigned mine = increment(&tickets.next);   // no-race
    while (get(&tickets.owner) != mine)         // no-race
        ;
    first++;                                    // no-race
    put(&tickets.owner, mine + 1);              // no-race
    while (swap(&busy, 1))                      // no-race
        ;
    second++;                                   // no-race
    put(&busy, 0);                              // no-race
    increment(&total);                          // no-race
    return arg;
}

int main(void) {
    pthread_t ids[3];
    put(&total, 7);                             // no-race
    for (int i = 0; i < 3; i++)
        pthread_create(&ids[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(ids[i], NULL);
    return first != second;                     // no-race
}
