// One wait per round suffices when rounds alternate between two buffers.
#include <pthread.h>

#define N 2
static pthread_barrier_t barrier;
static int buffer[2][N];

static void *worker(void *arg) {
    long i = (long)arg;
    for (int round = 0; round < 4; round++) {
        int now = round % 2, next = 1 - now;
        buffer[next][i] = buffer[now][0] + buffer[now][1] + 1;  // no-race alarm(lockset): parity of the round
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
    return buffer[0][0] == 15 ? 0 : 1;          // no-race
}
