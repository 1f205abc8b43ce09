// A start function that creates two instances of itself, each with a node on its parent's stack.
#include <pthread.h>

struct node {
    int low, high, sum;
};

static void *add_up(void *arg) {
    struct node *n = arg;
    if (n->high - n->low <= 1) {
        n->sum = n->low;                        // no-race alarm(lockset): instances of a recursive thread are one
        return NULL;
    }
    int middle = (n->low + n->high) / 2;
    struct node left = {n->low, middle, 0};     // no-race alarm(lockset): nor is it seen that all of them are joined
    struct node right = {middle, n->high, 0};   // no-race alarm(lockset): the same
    pthread_t a, b;
    pthread_create(&a, NULL, add_up, &left);
    pthread_create(&b, NULL, add_up, &right);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    n->sum = left.sum + right.sum;              // no-race alarm(lockset): instances of a recursive thread are one
    return NULL;
}

int main(void) {
    struct node all = {0, 8, 0};
    add_up(&all);
    return all.sum == 28 ? 0 : 1;               // no-race
}
