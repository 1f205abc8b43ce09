// Main writes an element before it gives the index away, and reads it when the thread that got it was joined.
#include <pthread.h>

#define N 2
static int *cell;

static void *worker(void *arg) {
    cell[(long)arg] = 1;                        // no-race
    return NULL;
}

int main(void) {
    static int cells[N + 1];
    pthread_t t[N];
    int sum = 0;
    cell = cells;
    for (long i = 0; i < N; i++) {
        cell[i] = 0;                            // no-race
        pthread_create(&t[i], NULL, worker, (void *)i);
    }
    for (long i = 0; i < N; i++) {
        pthread_join(t[i], NULL);
        sum += cell[i];                         // no-race
    }
    return sum == N ? 0 : 1;
}
