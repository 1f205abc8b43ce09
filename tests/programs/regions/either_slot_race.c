// The list of one slot ends in that of the other, whichever these are.
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *next;
};

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static struct node *heads[2];

static struct node *new_list(int value) {
    struct node *first = NULL;
    for (int i = 0; i < 2; i++) {
        struct node *n = calloc(1, sizeof *n);
        n->value = value;                               // no-race
        n->next = first;                                // no-race
        first = n;
    }
    return first;
}

static void walk(long slot) {
    pthread_mutex_lock(&locks[slot]);
    for (struct node *p = heads[slot]; p != NULL; p = p->next)  // no-race
        p->value++;                                     // race
    pthread_mutex_unlock(&locks[slot]);
}

static void set_up(void) {
    heads[0] = new_list(1);                             // no-race
    heads[1] = new_list(2);                             // no-race
    struct node *from = __VERIFIER_nondet_int() ? heads[0] : heads[1];
    struct node *to = __VERIFIER_nondet_int() ? heads[0] : heads[1];
    if (from != to)
        from->next = to;                                // no-race
}

static void *worker(void *arg) {
    long slot = (long)arg;
    walk(slot);
    return arg;
}

int main(void) {
    pthread_t t[2];
    set_up();
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
