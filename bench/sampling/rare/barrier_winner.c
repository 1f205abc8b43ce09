/* Two barriers; the ones that are first at both. */
#include <pthread.h>
#include <stdlib.h>
#include <stdatomic.h>

#define THREADS 3
static pthread_barrier_t b;
static atomic_int come[2];
static int prize;

static void *worker(void *argument) {
    int me = (int)(long)argument;
    int first = atomic_fetch_add_explicit(&come[0], 1, memory_order_relaxed) == 0;
    pthread_barrier_wait(&b);
    int second = atomic_fetch_add_explicit(&come[1], 1, memory_order_relaxed) == 1;
    if (first || second) prize = me; // race
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    pthread_barrier_init(&b, NULL, THREADS);
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return 0;
}
