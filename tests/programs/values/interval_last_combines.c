// A counter of those that have arrived: who arrives last puts the parts together.
#include <pthread.h>
#include <stdatomic.h>

#define N 2
static atomic_int arrived;
static int part[N], total;

static void *worker(void *arg) {
    int me = (int)(long)arg;
    part[me] = me + 1;                          // no-race alarm(lockset): the last one comes when all have done
    if (atomic_fetch_add(&arrived, 1) == N - 1)
        total = part[0] + part[1];              // no-race alarm(lockset): the last one comes when all have done
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return total == 3 ? 0 : 1;                  // no-race
}
