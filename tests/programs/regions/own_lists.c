// Every thread has a list of its own, in a slot of an array; there is no lock.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *heads[2];

static void *worker(void *arg) {
    long own = (long)arg;
    for (int i = 0; i < 2; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = i;                                   // no-race
        n->next = heads[own];                           // no-race
        heads[own] = n;                                 // no-race
    }
    for (struct node *p = heads[own]; p != NULL; p = p->next)  // no-race
        p->value++;                                     // no-race
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
