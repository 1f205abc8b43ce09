// One lock for a whole list: insertion and traversal both under it.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct node *head;

static void *insert(void *arg) {
    struct node *n = malloc(sizeof *n);
    n->value = (int)(long)arg;                  // no-race
    pthread_mutex_lock(&m);
    n->next = head;                             // no-race
    head = n;                                   // no-race
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *walk(void *arg) {
    int sum = 0;
    pthread_mutex_lock(&m);
    for (struct node *p = head; p != NULL; p = p->next)  // no-race
        sum += p->value++;                      // no-race
    pthread_mutex_unlock(&m);
    return sum ? arg : NULL;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, insert, (void *)1L);
    pthread_create(&b, NULL, insert, (void *)2L);
    pthread_create(&c, NULL, walk, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
