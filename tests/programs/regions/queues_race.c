// Queues with a head, a tail and a lock each; a node goes to the end of two of them.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct bucket {
    pthread_mutex_t lock;
    struct node *first, *last;
} table[2] = {{PTHREAD_MUTEX_INITIALIZER, NULL, NULL}, {PTHREAD_MUTEX_INITIALIZER, NULL, NULL}};

static void put(struct bucket *b, int value) {
    struct node *n = calloc(1, sizeof *n);              // race
    n->value = value;                                   // race
    pthread_mutex_lock(&b->lock);
    if (b->last != NULL)                                // race
        b->last->next = n;                              // race
    else
        b->first = n;
    b->last = n;                                        // race
    if (value == 1)
        table[1].last = n;                              // race
    pthread_mutex_unlock(&b->lock);
}

static void walk(struct bucket *b) {
    pthread_mutex_lock(&b->lock);
    for (struct node *p = b->first; p != NULL; p = p->next)  // race
        p->value++;                                     // race
    pthread_mutex_unlock(&b->lock);
}

static void *worker(void *arg) {
    long i = (long)arg;
    put(&table[i], 1);
    put(&table[1 - i], 2);
    walk(&table[i]);
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
