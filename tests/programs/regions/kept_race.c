// A pointer into a slot's list is kept and used after its lock was given back.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static struct node *heads[2];

static struct node *new_node(int value) {
    struct node *n = calloc(1, sizeof *n);
    n->value = value;
    return n;
}

static void push(long slot, struct node *n) {
    pthread_mutex_lock(&locks[slot]);
    n->next = heads[slot];                              // no-race
    heads[slot] = n;                                    // no-race
    pthread_mutex_unlock(&locks[slot]);
}

static void walk(long slot) {
    pthread_mutex_lock(&locks[slot]);
    for (struct node *p = heads[slot]; p != NULL; p = p->next)  // no-race
        p->value++;                                     // race
    struct node *kept = heads[slot];                    // no-race
    pthread_mutex_unlock(&locks[slot]);
    kept->value = 7;                                    // race
}

static void *worker(void *arg) {
    long slot = (long)arg;
    push(slot, new_node(1));
    push(1 - slot, new_node(2));
    walk(0);
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
