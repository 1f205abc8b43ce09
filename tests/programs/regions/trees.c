// Trees with a lock each; insertion and traversal are recursive.
#include <pthread.h>
#include <stdlib.h>

struct tree {
    int key, count;
    struct tree *left, *right;
};

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static struct tree *roots[2];

static struct tree *insert(struct tree *t, struct tree *n) {
    if (t == NULL)
        return n;
    if (n->key < t->key)                                // no-race
        t->left = insert(t->left, n);                   // no-race
    else
        t->right = insert(t->right, n);                 // no-race
    return t;
}

static int count(struct tree *t) {
    if (t == NULL)
        return 0;
    t->count++;                                         // no-race
    return 1 + count(t->left) + count(t->right);        // no-race
}

static void use(long i, int key) {
    struct tree *n = calloc(1, sizeof *n);
    n->key = key;                                       // no-race
    pthread_mutex_lock(&locks[i]);
    roots[i] = insert(roots[i], n);                     // no-race
    count(roots[i]);                                    // no-race
    pthread_mutex_unlock(&locks[i]);
}

static void *worker(void *arg) {
    long i = (long)arg;
    use(i, 1);
    use(1 - i, 2);
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
