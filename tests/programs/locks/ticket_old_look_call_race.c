// As ticket_serving, but the second time the thread goes by what it has read before a function has counted on.
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint next, serving;
static int data;

static void give(unsigned next_one) {
    atomic_store_explicit(&serving, next_one, memory_order_release);
}

static void *worker(void *arg) {
    unsigned my = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    unsigned seen = atomic_load_explicit(&serving, memory_order_acquire);
    while (atomic_load_explicit(&serving, memory_order_acquire) != my)
        ;
    data++;                                                                  // race
    give(my + 1);
    if (seen == my)
        data++;                                                              // race
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
