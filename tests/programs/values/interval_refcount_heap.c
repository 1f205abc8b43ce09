// A reference count in the object: who gives up the last reference frees it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct session {
    atomic_int references;
    int hits;
    int limit;
};

static void release(struct session *s) {
    if (atomic_fetch_sub(&s->references, 1) == 1)
        free(s);                                // no-race alarm(lockset): only the last one frees
}

static void *serve(void *arg) {
    struct session *s = arg;
    int more = s->limit > 3;                    // no-race alarm(lockset): only the last one frees
    release(s);
    return more ? arg : NULL;
}

int main(void) {
    pthread_t a, b;
    struct session *s = malloc(sizeof *s);
    atomic_init(&s->references, 2);
    s->limit = 5;                               // no-race
    pthread_create(&a, NULL, serve, s);
    pthread_create(&b, NULL, serve, s);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
