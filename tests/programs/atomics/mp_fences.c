// Message passing with relaxed accesses and a release and an acquire fence.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *producer(void *arg) {
    data = 42;                                  // no-race alarm(lockset): fences are not followed
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);  // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    while (atomic_load_explicit(&flag, memory_order_relaxed) == 0)  // no-race
        ;
    atomic_thread_fence(memory_order_acquire);
    int seen = data;                            // no-race alarm(lockset): fences are not followed
    pthread_join(t, NULL);
    return seen == 42 ? 0 : 1;
}
