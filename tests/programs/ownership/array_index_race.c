// Two threads get the same index.
#include <pthread.h>

#define N 4
static int cell[N];

static void *worker(void *arg) {
    long i = (long)arg;
    for (int k = 0; k < 5; k++)
        cell[i] += k;                           // race
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)(i / 2));
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return cell[0] + cell[1] <= 40 ? 0 : 1;     // no-race
}
