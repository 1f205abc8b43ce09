// Two loops create threads over the same part of an array.
#include <pthread.h>

#define N 2
static int cell[N];

static void *worker(void *arg) {
    cell[(long)arg]++;                          // race
    return NULL;
}

int main(void) {
    pthread_t t[2 * N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (long i = 0; i < N; i++)
        pthread_create(&t[N + i], NULL, worker, (void *)i);
    for (int i = 0; i < 2 * N; i++)
        pthread_join(t[i], NULL);
    return cell[1] <= 2 ? 0 : 1;                // no-race
}
