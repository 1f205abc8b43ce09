// Buckets on the heap that begin with the same list.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

struct bucket {
    pthread_mutex_t lock;
    struct node *first;
};
static struct bucket *buckets[2];

static void use(int key) {
    struct bucket *b = buckets[key % 2];
    struct node *n = calloc(1, sizeof *n);
    pthread_mutex_lock(&b->lock);
    n->next = b->first;                                 // no-race
    b->first = n;                                       // no-race
    for (struct node *p = b->first; p != NULL; p = p->next)  // no-race
        p->value += key;                                // race
    pthread_mutex_unlock(&b->lock);
}

static void *worker(void *arg) {
    for (int key = 1; key < 3; key++)
        use(key);
    return arg;
}

int main(void) {
    pthread_t t[2];
    struct node *common = calloc(1, sizeof *common);
    for (int i = 0; i < 2; i++) {
        buckets[i] = calloc(1, sizeof *buckets[i]);
        pthread_mutex_init(&buckets[i]->lock, NULL);
        buckets[i]->first = common;
    }
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
