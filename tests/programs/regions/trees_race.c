// Trees with a lock each; one is inserted into the other.
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
    if (n->key < t->key)
        t->left = insert(t->left, n);
    else
        t->right = insert(t->right, n);                 // race
    return t;
}

static int count(struct tree *t) {
    if (t == NULL)
        return 0;
    t->count++;                                         // race
    return 1 + count(t->left) + count(t->right);        // race
}

static void use(long i, int key) {
    struct tree *n = calloc(1, sizeof *n);              // race
    n->key = key;
    pthread_mutex_lock(&locks[i]);
    roots[i] = insert(roots[i], n);                     // race
    if (key == 2 && i == 1 && roots[0] != NULL)         // race
        roots[1] = insert(roots[1], roots[0]);          // race
    count(roots[i]);
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
