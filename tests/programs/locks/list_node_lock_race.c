// A lock per node, but the value of the next node is changed under the lock of this one.
#include <pthread.h>
#include <stdlib.h>

struct node {
    pthread_mutex_t lock;
    int value;
    struct node *next;
};

static struct node *head;

static void *own(void *arg) {
    for (struct node *p = head; p != NULL; p = p->next) {
        pthread_mutex_lock(&p->lock);
        p->value++;                             // race
        pthread_mutex_unlock(&p->lock);
    }
    return arg;
}

static void *neighbour(void *arg) {
    for (struct node *p = head; p->next != NULL; p = p->next) {
        pthread_mutex_lock(&p->lock);
        p->next->value--;                       // race
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
    pthread_create(&a, NULL, own, NULL);
    pthread_create(&b, NULL, neighbour, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return head->value;                         // no-race
}
