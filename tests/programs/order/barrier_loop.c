// A loop with two waits in each round separates writing from reading.
#include <pthread.h>

#define N 2
static pthread_barrier_t barrier;
static int cell[N], total[N];

static void *worker(void *arg) {
    long i = (long)arg;
    for (int round = 0; round < 3; round++) {
        cell[i] = round;                        // no-race alarm(lockset): rounds of a loop are not counted
        pthread_barrier_wait(&barrier);
        total[i] += cell[0] + cell[1];          // no-race alarm(lockset): rounds of a loop are not counted
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void) {
    pthread_t t[N];
    pthread_barrier_init(&barrier, NULL, N);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return total[0] == 6 ? 0 : 1;               // no-race
}
