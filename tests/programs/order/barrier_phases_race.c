// The neighbour's cell is read before the barrier.
#include <pthread.h>

#define N 3
static pthread_barrier_t barrier;
static int cell[N], copy[N];

static void *worker(void *arg) {
    long i = (long)arg;
    cell[i] = (int)i;                           // race
    copy[i] = cell[(i + 1) % N];                // race
    pthread_barrier_wait(&barrier);
    return NULL;
}

int main(void) {
    pthread_t t[N];
    pthread_barrier_init(&barrier, NULL, N);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return copy[0] <= 1 ? 0 : 1;                // no-race
}
