// A new object is published by a relaxed store: whoever acquires the pointer sees it, but not what it points to.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct box {
    int value;
};

static struct box *_Atomic published;

static void *publisher(void *arg) {
    struct box *b = malloc(sizeof *b);
    b->value = 1;                               // race
    atomic_store_explicit(&published, b, memory_order_relaxed);  // no-race
    return arg;
}

int main(void) {
    pthread_t id;
    pthread_create(&id, NULL, publisher, NULL);
    struct box *b = atomic_load_explicit(&published, memory_order_acquire);  // no-race
    int seen = b == NULL ? 0 : b->value;        // race
    pthread_join(id, NULL);
    return seen;
}
