// Two rounds at the same barrier: write own, read all, write own again.
#include <pthread.h>

#define N 2
static pthread_barrier_t barrier;
static int cell[N], sum[N];

static void *worker(void *arg) {
    long i = (long)arg;
    cell[i] = 1;                                // no-race
    pthread_barrier_wait(&barrier);
    for (int k = 0; k < N; k++)
        sum[i] += cell[k];                      // no-race
    pthread_barrier_wait(&barrier);
    cell[i] = sum[i];                           // no-race
    return NULL;
}

int main(void) {
    pthread_t t[N];
    pthread_barrier_init(&barrier, NULL, N);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return cell[0] == 2 ? 0 : 1;                // no-race
}
