// A recursive function looks for a node and leaves it in the list.
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int number;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct node *head;

static struct node *find(struct node *from, int depth) {
    if (from == NULL || depth == 0)
        return from;
    return find(from->next, depth - 1);
}

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    struct node *mine = find(head, 1);
    pthread_mutex_unlock(&m);
    if (mine != NULL)
        mine->number++; // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    for (int i = 0; i < 2; i++) {
        struct node *node = malloc(sizeof *node);
        if (node == NULL)
            return 1;
        node->next = head;
        node->number = 0;
        head = node;
    }
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
