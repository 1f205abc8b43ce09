// Lock and data behind a global pointer that never changes after the threads start, passed around in locals.
#include <pthread.h>
#include <stdlib.h>

struct box {
    pthread_mutex_t lock;
    int items[4];
    int used;
};

static struct box *box;

static void put(struct box *b, int item) {
    pthread_mutex_lock(&b->lock);
    if (b->used < 4) {                          // no-race
        b->items[b->used] = item;               // no-race
        b->used++;                              // no-race
    }
    pthread_mutex_unlock(&b->lock);
}

static void *worker(void *arg) {
    struct box *mine = box;
    put(mine, 1);
    put(box, 2);
    return arg;
}

int main(void) {
    pthread_t a, b;
    box = calloc(1, sizeof *box);
    pthread_mutex_init(&box->lock, NULL);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return box->used == 4 ? 0 : 1;              // no-race
}
