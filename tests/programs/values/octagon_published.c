// The producer counts in an atomic how many elements it has written; main reads only those.
#include <pthread.h>
#include <stdatomic.h>

#define N 3
static atomic_int ready;
static int cell[N + 1];

static void *producer(void *arg) {
    for (int i = 0; i < N; i++) {
        cell[i] = i + 1;                        // no-race alarm(lockset): only what is counted is read
        atomic_store_explicit(&ready, i + 1, memory_order_release);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    int sum = 0;
    pthread_create(&t, NULL, producer, NULL);
    int seen = atomic_load_explicit(&ready, memory_order_acquire);
    for (int k = 0; k < seen; k++)
        sum += cell[k];                         // no-race alarm(lockset): only what is counted is read
    pthread_join(t, NULL);
    return sum <= 6 ? 0 : 1;
}
