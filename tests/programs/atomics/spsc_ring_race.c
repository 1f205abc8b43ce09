// The producer of the ring does not look whether the consumer has kept up.
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 4
static int ring[SIZE];
static atomic_uint head;

static void *producer(void *arg) {
    for (unsigned h = 0; h < 50; h++) {
        ring[h % SIZE] = 1;                     // race
        atomic_store_explicit(&head, h + 1, memory_order_release);  // no-race
    }
    return arg;
}

int main(void) {
    pthread_t t;
    int sum = 0;
    pthread_create(&t, NULL, producer, NULL);
    for (unsigned n = 0; n < 50; n++) {
        while (atomic_load_explicit(&head, memory_order_acquire) <= n)  // no-race
            ;
        sum += ring[n % SIZE];                  // race
    }
    pthread_join(t, NULL);
    return sum == 50 ? 0 : 1;
}
