// A lock-free stack with push only; main pops after the joins.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *_Atomic top;

static void *pusher(void *arg) {
    struct node *n = malloc(sizeof *n);
    struct node *old = atomic_load(&top);       // no-race
    n->value = (int)(long)arg;                  // no-race alarm(lockset): private until the exchange succeeds
    do
        n->next = old;                          // no-race alarm(lockset): private until the exchange succeeds
    while (!atomic_compare_exchange_weak(&top, &old, n));  // no-race
    return NULL;
}

int main(void) {
    pthread_t t[3];
    int sum = 0;
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, pusher, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    for (struct node *n = top; n != NULL; n = n->next)  // no-race
        sum += n->value;                        // no-race
    return sum == 3 ? 0 : 1;
}
