// A linked list on the heap, one lock per node for its value; the links never change.
#include <pthread.h>
#include <stdlib.h>

struct node {
    pthread_mutex_t lock;
    int value;
    struct node *next;
};

static struct node *head;

static void *worker(void *arg) {
    for (struct node *p = head; p != NULL; p = p->next) {  // no-race
        pthread_mutex_lock(&p->lock);
        p->value++;                             // no-race
        pthread_mutex_unlock(&p->lock);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    for (int i = 0; i < 3; i++) {
        struct node *n = malloc(sizeof *n);
        pthread_mutex_init(&n->lock, NULL);
        n->value = i;                           // no-race
        n->next = head;
        head = n;
    }
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return head->value == 4 ? 0 : 1;            // no-race
}
