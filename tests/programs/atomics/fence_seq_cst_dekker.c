// Two flags and full fences: at most one of the threads sees the other's flag down.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2];
static int data;

static void *worker(void *arg) {
    long i = (long)arg;
    atomic_store_explicit(&flag[i], 1, memory_order_relaxed);  // no-race
    atomic_thread_fence(memory_order_seq_cst);
    if (!atomic_load_explicit(&flag[1 - i], memory_order_relaxed))  // no-race
        data++;                                 // no-race alarm(lockset): exclusion by two flags is beyond locksets
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, (void *)0L);
    pthread_create(&b, NULL, worker, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return data <= 1 ? 0 : 1;                   // no-race
}
