// Functions of a structure that nobody sets: passed by value, kept, copied, they are null, and nothing is called.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct hooks { void *(*get)(void *, size_t); void (*put)(void *, void *); void *opaque; };
struct pool { long users; struct hooks hooks; };
static const struct hooks none = {NULL, NULL, NULL};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *get(size_t size, struct hooks hooks) {
    return hooks.get ? hooks.get(hooks.opaque, size) : malloc(size);
}

static void put(void *block, struct hooks hooks) {
    if (hooks.put)
        hooks.put(hooks.opaque, block);
    else
        free(block);
}

static struct pool *create(struct hooks hooks) {
    struct pool *pool = get(sizeof *pool, hooks);
    memset(pool, 0, sizeof *pool);
    memcpy(&pool->hooks, &hooks, sizeof hooks);
    return pool;
}

static void *worker(void *arg) {
    struct pool *pool = arg;
    int *block = get(sizeof *block, pool->hooks);
    *block = 1;                                 // no-race
    pthread_mutex_lock(&lock);
    count += *block;                            // no-race
    pthread_mutex_unlock(&lock);
    put(block, pool->hooks);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    struct pool *pool = create(none);
    pthread_create(&a, NULL, worker, pool);
    pthread_create(&b, NULL, worker, pool);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    put(pool, pool->hooks);
    return count - 2;                           // no-race
}
