// A function tells which lock belongs to an object.
#include <pthread.h>

struct object {
    int value;
    pthread_mutex_t lock;
};

static struct object one = {0, PTHREAD_MUTEX_INITIALIZER};
static struct object two = {0, PTHREAD_MUTEX_INITIALIZER};

static pthread_mutex_t *lock_of(struct object *o) {
    return &o->lock;
}

static void *worker(void *arg) {
    struct object *o = arg;
    pthread_mutex_lock(lock_of(o));
    o->value++;                                 // no-race
    pthread_mutex_unlock(lock_of(o));
    return NULL;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, worker, &one);
    pthread_create(&t[1], NULL, worker, &two);
    pthread_create(&t[2], NULL, worker, &two);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return one.value + two.value == 3 ? 0 : 1;  // no-race
}
