// Callbacks in a structure that is passed by value: one is set, and counts without a lock.
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

static void *count_and_allocate(void *opaque, size_t size) {
    made++; // race
    return malloc(size);
}

static void *allocate(size_t size, memory mem) {
    if (mem.alloc)
        return mem.alloc(mem.opaque, size);
    return malloc(size);
}

static void *work(void *arg) {
    struct queue *q = arg;
    void *mine = allocate(16, q->mem);
    pthread_mutex_lock(&q->lock);
    q->count++; // no-race alarm(lockset): the queue and what threads allocate are made in one place
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
    struct queue *q = make((memory){count_and_allocate, NULL});
    pthread_create(&a, NULL, work, q);
    pthread_create(&b, NULL, work, q);
    pthread_mutex_lock(&q->lock);
    q->count++; // no-race alarm(lockset): the queue and what threads allocate are made in one place
    pthread_mutex_unlock(&q->lock);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return q->count + made; // no-race
}
