// One of three threads goes past the barrier for two.
#include <pthread.h>

#define N 3
static pthread_barrier_t barrier;
static int cell[N], copy[N];

static void *worker(void *arg) {
    long i = (long)arg;
    cell[i] = (int)i;                           // race
    if (i != 0)
        pthread_barrier_wait(&barrier);
    copy[i] = cell[(i + 1) % N];                // race
    return NULL;
}

int main(void) {
    pthread_t t[N];
    pthread_barrier_init(&barrier, NULL, N - 1);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return copy[1] <= 2 ? 0 : 1;                // no-race
}
