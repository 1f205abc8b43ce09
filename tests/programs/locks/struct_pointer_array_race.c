// An array of pointers to heap structs: locked through element 0, changed through element i.
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
        pthread_mutex_lock(&cells[0]->lock);
        cells[i]->value++;                      // race
        pthread_mutex_unlock(&cells[0]->lock);
    }
    return arg;
}

static void *other(void *arg) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&cells[i]->lock);
        cells[i]->value--;                      // race
        pthread_mutex_unlock(&cells[i]->lock);
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
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return cells[0]->value;                     // no-race
}
