// As ticket_serving, but numbers come from two counters, so that two threads may have the same one.
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint next, serving; static atomic_uint also_next;
static int data;

static void *worker(void *arg) {
    unsigned my = arg == NULL ? atomic_fetch_add(&next, 1) : atomic_fetch_add(&also_next, 1);
    while (atomic_load_explicit(&serving, memory_order_acquire) != my)
        ;
    data++;                                                                  // race
    atomic_store_explicit(&serving, my + 1, memory_order_release);
    return arg;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, i == 0 ? &data : NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return data == 3 ? 0 : 1;                                                // no-race
}
