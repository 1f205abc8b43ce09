// The reader takes state 1 (busy) for ready.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int state;
static int config;

static void *worker(void *arg) {
    int empty = 0;
    if (atomic_compare_exchange_strong(&state, &empty, 1)) {
        config = 7;                             // race
        atomic_store(&state, 2);
    }
    while (atomic_load(&state) == 0)
        ;
    return config == 7 ? arg : NULL;            // race
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
