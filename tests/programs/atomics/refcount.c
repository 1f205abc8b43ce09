// Reference counting: the last one out frees, the decrement is acquire and release.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int refs;
    int data;
};

static void put(struct object *o) {
    if (atomic_fetch_sub_explicit(&o->refs, 1, memory_order_acq_rel) == 1)  // no-race alarm(lockset): last one out
        free(o);                                // no-race alarm(lockset): only the last one out frees
}

static void *worker(void *arg) {
    struct object *o = arg;
    int seen = o->data;                         // no-race alarm(lockset): freed only when nobody has a reference
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
