// Two workers count themselves out; main waits until both have.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int finished;
static int part[2];

static void *worker(void *arg) {
    int me = (int)(long)arg;
    part[me] = me + 1;                          // no-race alarm(lockset): both are counted
    atomic_fetch_add(&finished, 1);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    while (atomic_load(&finished) < 2)
        ;
    int sum = part[0] + part[1];                // no-race alarm(lockset): both are counted
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return sum == 3 ? 0 : 1;
}
