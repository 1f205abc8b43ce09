// Each thread works on a chunk of the array, from i * CHUNK up to but not including (i + 1) * CHUNK.
#include <pthread.h>

#define N 3
#define CHUNK 5
static int cell[N * CHUNK];

static void *worker(void *arg) {
    int first = (int)(long)arg * CHUNK;
    for (int k = first; k < first + CHUNK; k++)
        cell[k] = k;                            // no-race
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return cell[14] == 14 ? 0 : 1;              // no-race
}
