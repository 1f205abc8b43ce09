// Between two waits the one thread with PTHREAD_BARRIER_SERIAL_THREAD computes for all.
#include <pthread.h>

#define N 3
static pthread_barrier_t barrier;
static int part[N], total, seen[N];

static void *worker(void *arg) {
    long i = (long)arg;
    part[i] = 1;                                // no-race
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        total = part[0] + part[1] + part[2];    // no-race alarm(lockset): one thread only gets that result
    pthread_barrier_wait(&barrier);
    seen[i] = total;                            // no-race
    return NULL;
}

int main(void) {
    pthread_t t[N];
    pthread_barrier_init(&barrier, NULL, N);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return seen[0] == 3 ? 0 : 1;                // no-race
}
