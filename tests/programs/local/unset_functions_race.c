// Functions of a structure that main sets: passed by value, kept, copied, they are called.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct hooks { void *(*get)(void *, size_t); void (*put)(void *, void *); void *opaque; };
struct pool { long users; struct hooks hooks; };
static const struct hooks none = {NULL, NULL, NULL};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *counted(void *opaque, size_t size) {
    ++*(int *)opaque;                           // race
    return malloc(size);
}

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
    *block = 1;
    pthread_mutex_lock(&lock);
    count += *block;
    pthread_mutex_unlock(&lock);
    put(block, pool->hooks);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int blocks = 0;
    struct hooks some = none;
    some.get = counted;
    some.opaque = &blocks;
    struct pool *pool = create(some);
    pthread_create(&a, NULL, worker, pool);
    pthread_create(&b, NULL, worker, pool);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    put(pool, pool->hooks);
    return count + blocks - 5;
}
