// As ticket_serving, but the order comes from a lock; main sets both numbers before it creates the threads.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint next, serving;
static int data;

static void *worker(void *arg) {
    unsigned my = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed), seen;
    do {
        pthread_mutex_lock(&m);
        seen = atomic_load_explicit(&serving, memory_order_relaxed);
        pthread_mutex_unlock(&m);
    } while (seen != my);
    data++;                                                                  // no-race
    pthread_mutex_lock(&m);
    atomic_store_explicit(&serving, my + 1, memory_order_relaxed);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t[2];
    atomic_store(&next, 5);
    atomic_store(&serving, 5);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return data == 2 ? 0 : 1;                                                // no-race
}
