// The one that arrives first puts the parts together.
#include <pthread.h>
#include <stdatomic.h>

#define N 2
static atomic_int arrived;
static int part[N], total;

static void *worker(void *arg) {
    int me = (int)(long)arg;
    part[me] = me + 1;                          // race
    if (atomic_fetch_add(&arrived, 1) == 0)
        total = part[0] + part[1];              // race
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
