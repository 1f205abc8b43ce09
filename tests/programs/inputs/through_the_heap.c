// No value in the list fits.
// 2 * value + 1 is odd.
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
        if (node->value > 20 && node->value < 1000 && node->value * 2 + 1 == 100)
            shared = node->value;               // no-race alarm(lockset): data exclude the branch
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&m);
    shared++;                                   // no-race alarm(lockset): data exclude the branch; alarm(explore): not all inputs
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
