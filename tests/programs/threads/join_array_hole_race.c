// The join loop over the array of ids starts at one.
#include <pthread.h>

#define N 3
static int cells[N];

static void *worker(void *arg) {
    cells[(long)arg] = 1;                       // race
    return NULL;
}

int main(void) {
    pthread_t ids[N];
    int sum = 0;
    for (long i = 0; i < N; i++)
        pthread_create(&ids[i], NULL, worker, (void *)i);
    for (int i = 1; i < N; i++)
        pthread_join(ids[i], NULL);
    for (int i = 0; i < N; i++)
        sum += cells[i];                        // race
    pthread_join(ids[0], NULL);
    return sum >= 2 ? 0 : 1;
}
