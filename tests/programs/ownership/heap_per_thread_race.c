// One heap object is made before the loop and given to all threads.
#include <pthread.h>
#include <stdlib.h>

#define N 3
struct work {
    int from, to;
};

static void *worker(void *arg) {
    struct work *w = arg;
    long sum = 0;
    while (w->from < w->to)                     // race
        sum += w->from++;                       // race
    return (void *)sum;
}

int main(void) {
    pthread_t t[N];
    struct work *w = malloc(sizeof *w);
    w->from = 0;                                // no-race
    w->to = 10;                                 // no-race
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, w);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    free(w);                                    // no-race
    return 0;
}
