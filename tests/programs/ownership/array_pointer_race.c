// Each thread gets the address of its element and also writes the one behind it.
#include <pthread.h>

#define N 4
static int cell[N + 1];

static void *worker(void *arg) {
    int *mine = arg;
    mine[0] = 1;                                // race
    mine[1] = 2;                                // race
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, &cell[i]);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return cell[0] > 0 ? 0 : 1;                 // no-race
}
