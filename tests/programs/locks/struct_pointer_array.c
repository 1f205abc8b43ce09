// An array of pointers to heap structs, each with its own lock.
#include <pthread.h>
#include <stdlib.h>

#define N 3
struct cell {
    pthread_mutex_t lock;
    int value;
};

static struct cell *cells[N];

static void *worker(void *arg) {
    for (int i = 0; i < N; i++) {
        struct cell *c = cells[i];
        pthread_mutex_lock(&c->lock);
        c->value++;                             // no-race
        pthread_mutex_unlock(&c->lock);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    for (int i = 0; i < N; i++) {
        cells[i] = malloc(sizeof *cells[i]);
        pthread_mutex_init(&cells[i]->lock, NULL);
        cells[i]->value = 0;                    // no-race
    }
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return cells[0]->value == 2 ? 0 : 1;        // no-race
}
