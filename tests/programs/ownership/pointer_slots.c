// A table of pointers to heap objects, thread i works through slot i.
#include <pthread.h>
#include <stdlib.h>

#define N 3
static int *slot[N];

static void *worker(void *arg) {
    long i = (long)arg;
    *slot[i] += 1;                              // no-race
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++) {
        slot[i] = malloc(sizeof *slot[i]);
        *slot[i] = i;                           // no-race
    }
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return *slot[2] == 3 ? 0 : 1;               // no-race
}
