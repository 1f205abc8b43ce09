// A callee puts a new object into another one and returns that: it is published with it, and written afterwards.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int *item;
};

static struct node *newest;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static struct node *wrap(int *item)
{
    struct node *n = malloc(sizeof *n);
    n->item = item; // no-race
    return n;
}

static void *maker(void *arg)
{
    int *x = malloc(sizeof *x);
    struct node *n = wrap(x);
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
    return n != NULL && *n->item == 5 ? arg : NULL; // race
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
