// Hand-over-hand locking: the next node is locked before this one is released.
#include <pthread.h>
#include <stdlib.h>

struct node {
    pthread_mutex_t lock;
    int value;
    struct node *next;
};

static struct node *head;

static void *worker(void *arg) {
    struct node *p = head;
    pthread_mutex_lock(&p->lock);
    p->value++;                                 // no-race
    while (p->next != NULL) {
        struct node *next = p->next;
        pthread_mutex_lock(&next->lock);
        pthread_mutex_unlock(&p->lock);
        p = next;
        p->value++;                             // no-race
    }
    pthread_mutex_unlock(&p->lock);
    return arg;
}

int main(void) {
    pthread_t a, b;
    for (int i = 0; i < 3; i++) {
        struct node *n = malloc(sizeof *n);
        pthread_mutex_init(&n->lock, NULL);
        n->value = 0;
        n->next = head;
        head = n;
    }
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return head->value == 2 ? 0 : 1;            // no-race
}
