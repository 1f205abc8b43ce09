// A release fence before a relaxed store meets an acquire load.
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag;

static void *producer(void *arg) {
    data = 1;                                   // no-race alarm(lockset): a flag with a fence on one side
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);  // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    int seen = 1;
    pthread_create(&t, NULL, producer, NULL);
    if (atomic_load_explicit(&flag, memory_order_acquire))  // no-race
        seen = data;                            // no-race alarm(lockset): a flag with a fence on one side
    pthread_join(t, NULL);
    return seen == 1 ? 0 : 1;
}
