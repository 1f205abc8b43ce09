// Each thread builds, uses and frees a list of its own.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static void *worker(void *arg) {
    struct node *list = NULL;
    long sum = 0;
    for (int i = 0; i < 4; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = i;                           // no-race
        n->next = list;                         // no-race
        list = n;
    }
    while (list != NULL) {
        struct node *n = list;
        list = n->next;                         // no-race
        sum += n->value;                        // no-race
        free(n);                                // no-race
    }
    return (void *)sum;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
