// The value passes through a list on the heap to another thread.
// The race needs: 33.
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    int value;
    struct node *next;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct node *list;
static int shared;

static void push(int value) {
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        exit(1);
    node->value = value;
    node->next = list;
    list = node;
}

static void *first(void *arg) {
    for (struct node *node = list; node != NULL; node = node->next)
        if (node->value > 20 && node->value < 1000 && node->value * 3 + 1 == 100)
            shared = node->value;               // race missed(explore): it tries other values
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    shared++;                                   // race missed(explore): it tries other values
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    push(1);
    push(__VERIFIER_nondet_int());
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
