// Whoever comes first initialises: state 0 is empty, 1 is busy, 2 is ready; all wait for 2.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int state;
static int config;

static void *worker(void *arg) {
    int empty = 0;
    if (atomic_compare_exchange_strong(&state, &empty, 1)) {
        config = 7;                             // no-race alarm(lockset): the state tells who may do what
        atomic_store(&state, 2);
    }
    while (atomic_load(&state) != 2)
        ;
    return config == 7 ? arg : NULL;            // no-race alarm(lockset): the state tells who may do what
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
