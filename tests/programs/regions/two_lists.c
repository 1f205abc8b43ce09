// Two lists with a lock each, whose nodes come from one allocator and go through one insertion.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER, lock_b = PTHREAD_MUTEX_INITIALIZER;
static struct node *list_a, *list_b;

static struct node *new_node(int value) {
    struct node *n = malloc(sizeof *n);
    n->value = value;                                         // no-race
    n->next = NULL;                                           // no-race
    return n;
}

static void insert(struct node **list, struct node *n) {
    n->next = *list;                                          // no-race
    *list = n;                                                // no-race
}

static void *use_a(void *arg) {
    struct node *n = new_node(1);
    pthread_mutex_lock(&lock_a);
    insert(&list_a, n);
    for (struct node *p = list_a; p != NULL; p = p->next)     // no-race
        p->value++;                                           // no-race
    pthread_mutex_unlock(&lock_a);
    return arg;
}

static void *use_b(void *arg) {
    struct node *n = new_node(2);
    pthread_mutex_lock(&lock_b);
    insert(&list_b, n);
    for (struct node *p = list_b; p != NULL; p = p->next)     // no-race
        p->value--;                                           // no-race
    pthread_mutex_unlock(&lock_b);
    return arg;
}

int main(void) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, i % 2 ? use_a : use_b, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
