// Reference counting with a relaxed decrement: the free is not ordered behind the other's last access.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int refs;
    int data;
};

static void put(struct object *o) {
    if (atomic_fetch_sub_explicit(&o->refs, 1, memory_order_relaxed) == 1)  // race
        free(o);                                // race
}

static void *worker(void *arg) {
    struct object *o = arg;
    int seen = o->data;                         // race
    put(o);
    return seen ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    struct object *o = malloc(sizeof *o);
    o->data = 5;                                // no-race
    atomic_init(&o->refs, 2);                   // no-race
    pthread_create(&a, NULL, worker, o);
    pthread_create(&b, NULL, worker, o);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
