// Two threads work on one object, and only one of the ids is kept in it.
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
        pthread_t other;
        struct work *w = malloc(sizeof *w);
        all[i] = w;
        pthread_create(&w->id, NULL, worker, w);
        pthread_create(&other, NULL, worker, w);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(all[i]->id, NULL);
        all[i]->data++;                         // race
    }
    return 0;
}
