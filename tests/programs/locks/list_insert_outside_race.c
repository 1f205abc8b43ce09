// The new node is already in the list when its value is written, outside the lock.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct node *head;

static void *insert(void *arg) {
    struct node *n = calloc(1, sizeof *n);
    pthread_mutex_lock(&m);
    n->next = head;                             // no-race
    head = n;                                   // no-race
    pthread_mutex_unlock(&m);
    n->value = (int)(long)arg;                  // race
    return NULL;
}

static void *walk(void *arg) {
    int sum = 0;
    pthread_mutex_lock(&m);
    for (struct node *p = head; p != NULL; p = p->next)  // no-race
        sum += p->value;                        // race
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
