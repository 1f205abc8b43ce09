// A new object is stored in another new one under an index that is not known, found there again by a helper, and given away.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *kids[2];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *shared, *last;
static int pick;

static struct node *kid(struct node *node, int i) { return node->kids[i]; }

static void *giver(void *arg) {
    struct node *inner = calloc(1, sizeof *inner), *outer = calloc(1, sizeof *outer);
    outer->kids[pick] = inner;
    struct node *found = kid(outer, 0);
    pthread_mutex_lock(&lock);
    shared = found;
    pthread_mutex_unlock(&lock);
    inner->value = 3;           // race
    last = outer;
    return arg;
}

static void *taker(void *arg) {
    pthread_mutex_lock(&lock);
    if (shared)
        shared->value++;        // race
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, giver, NULL);
    pthread_create(&b, NULL, taker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
