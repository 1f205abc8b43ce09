// An atomic counter of running threads, counted down with release, read with acquire.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int running;
static int result[2];

static void *worker(void *arg) {
    *(int *)arg = 2;                            // no-race
    atomic_fetch_sub_explicit(&running, 1, memory_order_release);
    return NULL;
}

int main(void) {
    for (int i = 0; i < 2; i++) {
        pthread_t t;
        atomic_fetch_add_explicit(&running, 1, memory_order_relaxed);
        pthread_create(&t, NULL, worker, &result[i]);
        pthread_detach(t);
    }
    if (atomic_load_explicit(&running, memory_order_acquire) != 0)
        return 0;
    return result[0] + result[1];               // no-race
}
