// Doubly linked lists with a lock each, whose items have data of their own.
#include <pthread.h>
#include <stdlib.h>

struct data {
    int value;
};
struct item {
    struct data *data;
    struct item *next, *prev;
};
static struct list {
    pthread_mutex_t lock;
    struct item *first;
} lists[2] = {{PTHREAD_MUTEX_INITIALIZER, NULL}, {PTHREAD_MUTEX_INITIALIZER, NULL}};

static void add(struct list *l) {
    struct item *n = calloc(1, sizeof *n);
    n->data = calloc(1, sizeof *n->data);               // no-race
    pthread_mutex_lock(&l->lock);
    n->next = l->first;                                 // no-race
    if (l->first != NULL)                               // no-race
        l->first->prev = n;                             // no-race
    l->first = n;                                       // no-race
    pthread_mutex_unlock(&l->lock);
}

static void walk(struct list *l) {
    pthread_mutex_lock(&l->lock);
    struct item *p = l->first;                          // no-race
    while (p != NULL && p->next != NULL)                // no-race
        p = p->next;                                    // no-race
    for (; p != NULL; p = p->prev)                      // no-race
        p->data->value++;                               // no-race
    pthread_mutex_unlock(&l->lock);
}

static void *worker(void *arg) {
    long i = (long)arg;
    add(&lists[i]);
    add(&lists[1 - i]);
    walk(&lists[i]);
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
