// Each thread's id is in the object that it works on; who joins this id may use the object.
#include <pthread.h>
#include <stdlib.h>

struct work {
    pthread_t id;
    int data;
};

static void *worker(void *arg) {
    struct work *w = arg;
    w->data = 1;                                // no-race
    return NULL;
}

int main(void) {
    struct work *all[2];
    for (int i = 0; i < 2; i++) {
        struct work *w = malloc(sizeof *w);
        all[i] = w;
        pthread_create(&w->id, NULL, worker, w);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(all[i]->id, NULL);
        all[i]->data++;                         // no-race
        free(all[i]);                           // no-race
    }
    return 0;
}
