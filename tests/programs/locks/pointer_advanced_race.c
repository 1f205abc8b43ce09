// The pointer moves on to the next object between lock and access.
#include <pthread.h>

struct node {
    pthread_mutex_t lock;
    int value;
    struct node *next;
};

static struct node second = {PTHREAD_MUTEX_INITIALIZER, 0, NULL};
static struct node first = {PTHREAD_MUTEX_INITIALIZER, 0, &second};

static void *worker(void *arg) {
    struct node *p = arg;
    struct node *locked = p;
    pthread_mutex_lock(&p->lock);
    if (p->next != NULL)                        // no-race
        p = p->next;                            // no-race
    p->value++;                                 // race
    pthread_mutex_unlock(&locked->lock);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, &first);
    pthread_create(&b, NULL, worker, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return second.value <= 2 ? 0 : 1;           // no-race
}
