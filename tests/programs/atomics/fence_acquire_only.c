// A relaxed load that saw the flag, then an acquire fence.
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag;

static void *producer(void *arg) {
    data = 1;                                   // no-race alarm(lockset): a flag with a fence on one side
    atomic_store_explicit(&flag, 1, memory_order_release);  // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    int seen = 1;
    pthread_create(&t, NULL, producer, NULL);
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {  // no-race
        atomic_thread_fence(memory_order_acquire);
        seen = data;                            // no-race alarm(lockset): a flag with a fence on one side
    }
    pthread_join(t, NULL);
    return seen == 1 ? 0 : 1;
}
