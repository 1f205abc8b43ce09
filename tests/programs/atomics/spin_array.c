// A spin lock for each cell: who has the lock of a cell uses that cell.
#include <pthread.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);

#define N 4
static atomic_int locks[N];
static int cells[N];

static void take(int i) {
    while (atomic_exchange_explicit(&locks[i], 1, memory_order_acquire))  // no-race
        ;
}

static void give(int i) {
    atomic_store_explicit(&locks[i], 0, memory_order_release);  // no-race
}

static void *worker(void *arg) {
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i >= N)
        return NULL;
    take(i);
    cells[i]++;                                 // no-race alarm(explore): any index
    give(i);
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < N; i++)
        atomic_store(&locks[i], 0);             // no-race
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
