/* Two threads meet at a barrier, N times; in between each reads what the other has written. */
#include <pthread.h>
#include <semaphore.h>
#ifndef N
#define N 4
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
static pthread_barrier_t barrier;
static int cells[2];

static void *run(void *me) {
    int own = me != 0, seen = 0;
    for (int i = 0; i < N; i++) {
        cells[own] = i;
        pthread_barrier_wait(&barrier);
        seen += cells[!own];
#ifndef RACY
        pthread_barrier_wait(&barrier);
#endif
    }
    return seen ? me : 0;
}

int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, &barrier);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
