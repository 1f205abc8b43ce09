// A structure is passed by value; what it points to is published through the copy.
#include <pthread.h>
#include <stdlib.h>

struct box {
    int *content;
    long more[8];
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct box *boxes;
static int *shared;

static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    if (shared != NULL)                         // no-race
        *shared = 1;                            // race
    pthread_mutex_unlock(&m);
    return arg;
}

static void give(struct box box) {
    pthread_mutex_lock(&m);
    shared = box.content;                       // no-race
    pthread_mutex_unlock(&m);
}

int main(void) {
    pthread_t t;
    struct box *box = malloc(sizeof *box);
    int *content = malloc(sizeof *content);
    box->content = content;
    pthread_create(&t, NULL, worker, NULL);
    give(*box);
    *content = 2;                               // race
    boxes = box;
    pthread_join(t, NULL);
    return 0;
}
