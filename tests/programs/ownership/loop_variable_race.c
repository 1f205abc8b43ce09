// All threads get the address of the same loop variable.
#include <pthread.h>

#define N 3
static int cell[N + 1];

static void *worker(void *arg) {
    int i = *(int *)arg;                        // race
    cell[i] = 1;                                // race
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int i;
    for (i = 0; i < N; i++)                     // race
        pthread_create(&t[i], NULL, worker, &i);
    for (int k = 0; k < N; k++)
        pthread_join(t[k], NULL);
    return cell[0] <= 1 ? 0 : 1;                // no-race alarm(lockset): the counter is in memory
}
