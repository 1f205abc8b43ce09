// Main writes an element whose index it has given away already.
#include <pthread.h>

#define N 2
static int *cell;

static void *worker(void *arg) {
    cell[(long)arg] = 1;                        // race
    return NULL;
}

int main(void) {
    static int cells[N + 1];
    pthread_t t[N];
    int sum = 0;
    cell = cells;
    for (long i = 0; i < N; i++) {
        cell[i ? i - 1 : 0] = 0;                // race
        pthread_create(&t[i], NULL, worker, (void *)i);
    }
    for (long i = 0; i < N; i++) {
        pthread_join(t[i], NULL);
        sum += cell[i];                         // no-race
    }
    return sum == N ? 0 : 1;
}
