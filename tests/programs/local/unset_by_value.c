// Callbacks in a structure that is passed by value: nobody sets them, so no function is called.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    void *(*alloc)(void *, size_t);
    void *opaque;
} memory;
struct queue {
    pthread_mutex_t lock;
    int count;
    memory mem;
};
static int made;

static void *allocate(size_t size, memory mem) {
    if (mem.alloc)
        return mem.alloc(mem.opaque, size);
    return malloc(size);
}

static void *work(void *arg) {
    struct queue *q = arg;
    void *mine = allocate(16, q->mem);
    pthread_mutex_lock(&q->lock);
    q->count++; // no-race
    pthread_mutex_unlock(&q->lock);
    free(mine);
    return NULL;
}

static struct queue *make(memory mem) {
    struct queue *q = allocate(sizeof *q, mem);
    if (q == NULL)
        exit(1);
    memset(q, 0, sizeof *q);
    pthread_mutex_init(&q->lock, NULL);
    q->mem = mem;
    return q;
}

int main(void) {
    pthread_t a, b;
    struct queue *q = make((memory){NULL, NULL});
    pthread_create(&a, NULL, work, q);
    pthread_create(&b, NULL, work, q);
    pthread_mutex_lock(&q->lock);
    q->count++; // no-race
    pthread_mutex_unlock(&q->lock);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return q->count + made; // no-race
}
