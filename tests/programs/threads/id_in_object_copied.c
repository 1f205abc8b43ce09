// Each object has the id of its own thread, which is joined, and that of the thread before.
#include <pthread.h>
#include <stdlib.h>

struct work {
    pthread_t id;
    pthread_t before;
    int data;
};

static void *worker(void *arg) {
    struct work *w = arg;
    w->data++;                                  // no-race
    return NULL;
}

int main(void) {
    struct work *w = NULL;
    pthread_t last = 0;
    for (int i = 0; i < 2; i++) {
        w = malloc(sizeof *w);
        w->data = 0;
        w->before = last;
        pthread_create(&w->id, NULL, worker, w);
        last = w->id;
    }
    pthread_join(w->id, NULL);
    w->data++;                                  // no-race
    return 0;
}
