// Double-checked locking with a relaxed atomic pointer: the pointer is fine, what it points to is not.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
    int limit;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct config *_Atomic instance;

static struct config *get(void) {
    struct config *c = atomic_load_explicit(&instance, memory_order_relaxed);  // no-race
    if (c == NULL) {
        pthread_mutex_lock(&m);
        c = atomic_load_explicit(&instance, memory_order_relaxed);  // no-race
        if (c == NULL) {
            c = malloc(sizeof *c);
            c->limit = 10;                      // race
            atomic_store_explicit(&instance, c, memory_order_relaxed);  // no-race
        }
        pthread_mutex_unlock(&m);
    }
    return c;
}

static void *worker(void *arg) {
    return get()->limit == 10 ? arg : NULL;     // race
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return get()->limit == 10 ? 0 : 1;          // no-race
}
