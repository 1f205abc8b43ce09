// A table of pointers where two slots hold the same pointer.
#include <pthread.h>
#include <stdlib.h>

#define N 3
static int *slot[N];

static void *worker(void *arg) {
    long i = (long)arg;
    *slot[i] += 1;                              // race
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++) {
        slot[i] = malloc(sizeof *slot[i]);
        *slot[i] = i;                           // no-race
    }
    slot[2] = slot[0];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return *slot[1] == 2 ? 0 : 1;               // no-race
}
