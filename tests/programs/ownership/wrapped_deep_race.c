// A callee puts a new object into a second one and that into a third: it is published with it, and written afterwards.
#include <pthread.h>
#include <stdlib.h>

struct box {
    int *item;
};

struct node {
    struct box *box;
};

static struct node *newest;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void wrap(struct node *n, int *item)
{
    struct box *box = malloc(sizeof *box);
    box->item = item; // no-race
    n->box = box; // no-race
}

static void *maker(void *arg)
{
    int *x = malloc(sizeof *x);
    struct node *n = malloc(sizeof *n);
    wrap(n, x);
    pthread_mutex_lock(&m);
    newest = n; // no-race
    pthread_mutex_unlock(&m);
    *x = 5; // race
    return arg;
}

static void *reader(void *arg)
{
    pthread_mutex_lock(&m);
    struct node *n = newest; // no-race
    pthread_mutex_unlock(&m);
    return n != NULL && *n->box->item == 5 ? arg : NULL; // race
}

int main(void)
{
    pthread_t makers[2], r;
    pthread_create(&r, NULL, reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&makers[i], NULL, maker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(makers[i], NULL);
    pthread_join(r, NULL);
    return 0;
}
