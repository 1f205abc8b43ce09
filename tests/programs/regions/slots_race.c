// Slots of an array with a list each; one walk takes the lock of the other slot.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static struct node *heads[2];

static struct node *new_node(int value) {
    struct node *n = calloc(1, sizeof *n);              // race
    n->value = value;                                   // race
    return n;
}

static void push(long slot, struct node *n) {
    pthread_mutex_lock(&locks[slot]);
    n->next = heads[slot];                              // race
    heads[slot] = n;                                    // race
    pthread_mutex_unlock(&locks[slot]);
}

static void walk(long slot) {
    pthread_mutex_lock(&locks[slot]);
    for (struct node *p = heads[1 - slot]; p != NULL; p = p->next)  // race
        p->value++;                                     // race
    pthread_mutex_unlock(&locks[slot]);
}

static void *worker(void *arg) {
    long slot = (long)arg;
    push(slot, new_node(1));
    push(1 - slot, new_node(2));
    walk(slot);
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
