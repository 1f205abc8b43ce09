// A table of lists moves to another place; another list is used than the one that was found in the old one.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node **table;

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

static void *worker(void *arg) {
    struct node **lists = arg;
    lists[1]->value++;                                  // no-race
    return NULL;
}

int main(void) {
    pthread_t t;
    table = malloc(2 * sizeof *table);
    table[0] = new_list(1);                             // no-race
    table[1] = new_list(2);                             // no-race
    struct node *kept = table[0];                       // no-race
    struct node **wide = realloc(table, 4 * sizeof *table);  // no-race
    pthread_create(&t, NULL, worker, wide);
    kept->value++;                                      // no-race
    pthread_join(t, NULL);
    return 0;
}
