// As ticket_serving, but the order comes from locks, and each thread has one of its own.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static atomic_uint next, serving;
static int data;

static void *worker(void *arg) {
    pthread_mutex_t *own = &locks[(long)arg];
    unsigned my = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed), seen;
    do {
        pthread_mutex_lock(own);
        seen = atomic_load_explicit(&serving, memory_order_relaxed);
        pthread_mutex_unlock(own);
    } while (seen != my);
    data++;                                                                  // race
    pthread_mutex_lock(own);
    atomic_store_explicit(&serving, my + 1, memory_order_relaxed);
    pthread_mutex_unlock(own);
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return data == 2 ? 0 : 1;                                                // no-race
}
