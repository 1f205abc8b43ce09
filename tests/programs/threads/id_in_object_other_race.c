// The id is taken from another object than the one that is used afterwards.
#include <pthread.h>
#include <stdlib.h>

struct work {
    pthread_t id;
    int data;
};

static void *worker(void *arg) {
    struct work *w = arg;
    w->data = 1;                                // race
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
        pthread_join(all[1 - i]->id, NULL);
        all[i]->data++;                         // race
        free(all[i]);                           // race
    }
    return 0;
}
