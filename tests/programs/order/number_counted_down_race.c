// Counted down and, by a thread that has done its work, up again: several come to 0.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int left = 1;
static int chosen;

static void *worker(void *arg) {
    if (atomic_fetch_sub(&left, 1) == 1)        // no-race
        chosen++;                               // race
    atomic_fetch_add_explicit(&left, 1, memory_order_relaxed);  // no-race
    return arg;
}

int main(void) {
    for (int i = 0; i < 4; i++) {
        pthread_t t;
        pthread_create(&t, NULL, worker, NULL);
        pthread_detach(t);
    }
    return 0;
}
