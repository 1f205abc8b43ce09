// Every thread has a list of its own, and walks another one.
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
        n->value = i;                                   // race
        n->next = heads[own];                           // race
        heads[own] = n;                                 // race
    }
    for (struct node *p = heads[1 - own]; p != NULL; p = p->next)  // race
        p->value++;                                     // race
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
