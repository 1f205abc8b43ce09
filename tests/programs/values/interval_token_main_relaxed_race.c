// Main and a worker hand a token to and fro; the worker reads it relaxed.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int token;
static int cell;

static void *worker(void *arg) {
    for (int round = 0; round < 2; round++) {
        while (atomic_load_explicit(&token, memory_order_relaxed) != 1)
            ;
        cell *= 2;                              // race
        atomic_store_explicit(&token, 0, memory_order_release);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    for (int round = 0; round < 2; round++) {
        while (atomic_load_explicit(&token, memory_order_acquire) != 0)
            ;
        cell += 3;                              // race
        atomic_store_explicit(&token, 1, memory_order_release);
    }
    pthread_join(t, NULL);
    return cell == 18 ? 0 : 1;                  // no-race
}
