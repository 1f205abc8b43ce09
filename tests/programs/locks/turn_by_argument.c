// Threads take turns: each waits until the word has its own number, and passes it on to the next.
#include <pthread.h>
#include <stdatomic.h>

#define N 3
static atomic_int turn;
static int data;

static void *worker(void *arg) {
    int me = (int)(long)arg;
    for (int round = 0; round < 2; round++) {
        while (atomic_load_explicit(&turn, memory_order_acquire) != me)
            ;
        data++;                                                              // no-race
        atomic_store_explicit(&turn, (me + 1) % N, memory_order_release);
    }
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)(long)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return data == 2 * N ? 0 : 1;                                            // no-race
}
