// Two objects from one allocation wrapper: different objects in spite of the same allocation site.
#include <pthread.h>
#include <stdlib.h>

struct counter {
    int n;
};

static struct counter *make(void) {
    struct counter *c = malloc(sizeof *c);
    if (c == NULL)
        abort();
    c->n = 0;                                   // no-race
    return c;
}

static struct counter *left, *right;

static void *worker(void *arg) {
    left->n++;                                  // no-race
    return arg;
}

int main(void) {
    pthread_t t;
    left = make();
    right = make();
    pthread_create(&t, NULL, worker, NULL);
    right->n++;                                 // no-race
    pthread_join(t, NULL);
    return left->n + right->n == 2 ? 0 : 1;     // no-race
}
