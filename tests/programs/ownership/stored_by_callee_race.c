// A new object is stored in another new object by a function, found there again, and published before it is written.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct node {
    int value;
    struct node *kid[2];
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct node *found;
static int pick;

static void add(struct node *to, int i, struct node *kid) {
    to->kid[i] = kid;
}

static void *writer(void *arg) {
    struct node *p = calloc(1, sizeof *p), *q = calloc(1, sizeof *q), *r;
    add(q, pick, p);
    memcpy(&r, &q->kid[pick], sizeof r);
    pthread_mutex_lock(&m);
    found = r;                                  // no-race
    pthread_mutex_unlock(&m);
    p->value = 3;                               // race
    return arg;
}

static void *reader(void *arg) {
    pthread_mutex_lock(&m);
    if (found != NULL)                          // no-race
        found->value++;                         // race
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
