// Who finds its number served has the lock, until it counts on: the number itself may be drawn relaxed.
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint next, serving;
static int data;

static void *worker(void *arg) {
    unsigned my = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, memory_order_acquire) != my)
        ;
    data++;                                                                  // no-race
    atomic_store_explicit(&serving, my + 1, memory_order_release);
    return arg;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return data == 3 ? 0 : 1;                                                // no-race
}
