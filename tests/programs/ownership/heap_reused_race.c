// The object is allocated per thread, but main goes on writing to it after the create.
#include <pthread.h>
#include <stdlib.h>

#define N 3
struct work {
    int input, priority;
};

static void *worker(void *arg) {
    struct work *w = arg;
    return w->input + w->priority > 0 ? arg : NULL;  // race
}

int main(void) {
    pthread_t t[N];
    struct work *all[N];
    for (int i = 0; i < N; i++) {
        struct work *w = malloc(sizeof *w);
        w->input = i;                           // no-race
        w->priority = 0;                        // no-race
        all[i] = w;
        pthread_create(&t[i], NULL, worker, w);
        w->priority = i;                        // race
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < N; i++)
        free(all[i]);                           // no-race
    return 0;
}
