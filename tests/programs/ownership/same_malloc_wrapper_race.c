// Two objects from one wrapper: the lock of one, the data of the other.
#include <pthread.h>
#include <stdlib.h>

struct counter {
    pthread_mutex_t lock;
    int n;
};

static struct counter *make(void) {
    struct counter *c = calloc(1, sizeof *c);
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

static struct counter *left, *right;

static void *worker(void *arg) {
    pthread_mutex_lock(&right->lock);
    left->n++;                                  // race
    pthread_mutex_unlock(&right->lock);
    return arg;
}

int main(void) {
    pthread_t t;
    left = make();
    right = make();
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&left->lock);
    left->n++;                                  // race
    pthread_mutex_unlock(&left->lock);
    pthread_join(t, NULL);
    return left->n == 2 ? 0 : 1;                // no-race
}
