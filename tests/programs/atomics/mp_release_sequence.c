// A relaxed read-modify-write of another thread continues the release sequence.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *producer(void *arg) {
    data = 42;                                  // no-race alarm(lockset): order through a release sequence
    atomic_store_explicit(&flag, 1, memory_order_release);  // no-race
    return arg;
}

static void *relay(void *arg) {
    int one = 1;
    while (!atomic_compare_exchange_weak_explicit(&flag, &one, 2, memory_order_relaxed,  // no-race
                                                  memory_order_relaxed))
        one = 1;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, relay, NULL);
    while (atomic_load_explicit(&flag, memory_order_acquire) != 2)  // no-race
        ;
    int seen = data;                            // no-race alarm(lockset): order through a release sequence
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen == 42 ? 0 : 1;
}
