// A ring buffer for one producer and one consumer, with atomic positions.
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 4
static int ring[SIZE];
static atomic_uint head, tail;

static void *producer(void *arg) {
    for (int i = 1; i <= 10; i++) {
        unsigned h = atomic_load_explicit(&head, memory_order_relaxed);  // no-race
        while (h - atomic_load_explicit(&tail, memory_order_acquire) == SIZE)  // no-race
            ;
        ring[h % SIZE] = i;                     // no-race alarm(lockset): head and tail keep the two apart; alarm(explore): too many orders
        atomic_store_explicit(&head, h + 1, memory_order_release);  // no-race
    }
    return arg;
}

int main(void) {
    pthread_t t;
    int sum = 0;
    pthread_create(&t, NULL, producer, NULL);
    for (unsigned n = 0; n < 10; n++) {
        while (atomic_load_explicit(&head, memory_order_acquire) == n)  // no-race
            ;
        sum += ring[n % SIZE];                  // no-race alarm(lockset): head and tail keep the two apart
        atomic_store_explicit(&tail, n + 1, memory_order_release);  // no-race
    }
    pthread_join(t, NULL);
    return sum == 55 ? 0 : 1;
}
