// Objects with a table of operations; the operations lock the object that they are called for.
#include <pthread.h>

struct object;
struct ops {
    void (*add)(struct object *, int);
    int (*get)(struct object *);
};
struct object {
    const struct ops *ops;
    pthread_mutex_t lock;
    int value;
};

static void add(struct object *o, int n) {
    pthread_mutex_lock(&o->lock);
    o->value += n;                              // no-race
    pthread_mutex_unlock(&o->lock);
}

static int get(struct object *o) {
    pthread_mutex_lock(&o->lock);
    int v = o->value;                           // no-race
    pthread_mutex_unlock(&o->lock);
    return v;
}

static const struct ops locked_ops = {add, get};
static struct object object = {&locked_ops, PTHREAD_MUTEX_INITIALIZER, 0};

static void *worker(void *arg) {
    struct object *o = arg;
    o->ops->add(o, 2);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, &object);
    pthread_create(&b, NULL, worker, &object);
    int seen = object.ops->get(&object);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen <= 4 && object.value == 4 ? 0 : 1;  // no-race
}
