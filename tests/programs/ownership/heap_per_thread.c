// A heap object per thread, made by main in the loop that creates, freed by the thread.
#include <pthread.h>
#include <stdlib.h>

#define N 3
struct work {
    int from, to;
};

static void *worker(void *arg) {
    struct work *w = arg;
    long sum = 0;
    while (w->from < w->to)                     // no-race
        sum += w->from++;                       // no-race
    free(w);                                    // no-race
    return (void *)sum;
}

int main(void) {
    pthread_t t[N];
    long total = 0;
    for (int i = 0; i < N; i++) {
        struct work *w = malloc(sizeof *w);
        w->from = i * 10;                       // no-race
        w->to = i * 10 + 10;                    // no-race
        pthread_create(&t[i], NULL, worker, w);
    }
    for (int i = 0; i < N; i++) {
        void *r;
        pthread_join(t[i], &r);
        total += (long)r;
    }
    return total == 435 ? 0 : 1;
}
