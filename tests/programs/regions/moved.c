// A node is moved to another list under the locks of both.
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
    n->value = value;                                   // no-race alarm(lockset): a node has one list for ever
    return n;
}

static void push(long slot, struct node *n) {
    pthread_mutex_lock(&locks[slot]);
    n->next = heads[slot];                              // no-race alarm(lockset): a node has one list for ever
    heads[slot] = n;                                    // no-race
    pthread_mutex_unlock(&locks[slot]);
}

static void walk(long slot) {
    pthread_mutex_lock(&locks[slot]);
    for (struct node *p = heads[slot]; p != NULL; p = p->next)  // no-race alarm(lockset): a node has one list for ever
        p->value++;                                     // no-race alarm(lockset): a node has one list for ever
    pthread_mutex_unlock(&locks[slot]);
}

static void move(void) {
    pthread_mutex_lock(&locks[0]);
    pthread_mutex_lock(&locks[1]);
    struct node *n = heads[0];                          // no-race
    if (n != NULL) {
        heads[0] = n->next;                             // no-race alarm(lockset): a node has one list for ever
        n->next = heads[1];                             // no-race alarm(lockset): a node has one list for ever
        heads[1] = n;                                   // no-race
    }
    pthread_mutex_unlock(&locks[1]);
    pthread_mutex_unlock(&locks[0]);
}

static void *worker(void *arg) {
    long slot = (long)arg;
    push(slot, new_node(1));
    move();
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
