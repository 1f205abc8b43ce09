// A jump leaves the section with the node still in the list; the lock is given back behind it.
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int number;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct node *head;

static void *worker(void *arg) {
    jmp_buf back;
    struct node *volatile mine = NULL;
    if (!setjmp(back)) {
        pthread_mutex_lock(&m);
        mine = head;
        if (mine != NULL && arg != NULL)
            longjmp(back, 1);
        if (mine != NULL)
            head = mine->next; // no-race
    }
    pthread_mutex_unlock(&m);
    if (mine != NULL)
        mine->number++; // race
    return arg;
}

int main(void) {
    pthread_t a, b;
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        return 1;
    node->next = NULL;
    node->number = 0;
    head = node;
    pthread_create(&a, NULL, worker, &a);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
