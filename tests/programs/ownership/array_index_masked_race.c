// The index is masked: different arguments, same element.
#include <pthread.h>

#define N 4
static int cell[2];

static void *worker(void *arg) {
    long i = (long)arg;
    cell[i & 1]++;                              // race
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return cell[0] <= 2 ? 0 : 1;                // no-race
}
