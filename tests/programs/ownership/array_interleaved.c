// Cyclic distribution: thread i works on elements i, i + N, i + 2N and so on.
#include <pthread.h>

#define N 3
static int cell[12];

static void *worker(void *arg) {
    for (long k = (long)arg; k < 12; k += N)
        cell[k]++;                              // no-race alarm(lockset): the indices differ modulo N
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return cell[11] == 1 ? 0 : 1;               // no-race
}
